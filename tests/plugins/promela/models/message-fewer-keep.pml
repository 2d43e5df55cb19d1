/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a message may have fewer fields. */
chan c = [2] of { byte, byte };
byte x, y;
active proctype P() { c!1, 2; c!3, 4; d_step { x = 2; c?<x> }; if :: c?<3> :: c?<y> :: c??<3> -> x = 5 fi; c?_, eval(y + 1) }
