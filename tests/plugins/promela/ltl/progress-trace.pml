/* SPDX-License-Identifier: Apache-2.0 */
/* In a trace a label "progress..." is none of the model's. */
chan c = [1] of { byte };
byte x;

active proctype P() { do :: c!1; c?x od }

trace { do :: progress: c!1; progress1: c?1 od }
active proctype Q() { x == 9; progress2: x = 0 }
