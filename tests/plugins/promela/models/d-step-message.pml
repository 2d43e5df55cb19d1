/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in a d_step: it begins with a receive, which blocks it, and sends more. */
chan c = [2] of { byte }; chan d = [2] of { byte }; byte x;
active proctype P() { c!2; c!3; d?x; d?x }
active proctype Q() { byte v; do :: d_step { c?v; x = v; v = v * 2; d!v; v = 0 } :: x > 5 -> break :: timeout -> break od }
