/* SPDX-License-Identifier: Apache-2.0 */
/* Each `init` is a process, with a number in the order of the text. */
byte x;
active proctype P() { assert(_pid == 0); x = 9; L: skip }
init { byte n; assert(_pid == 1); n++; L: x = n }
proctype Q() { assert(_pid >= 3); x = x - 1 }
init { byte n; assert(_pid == 2); x = x + 2; n++; L: run Q(); goto L1; L1: n = 0 }
init { assert(_pid == 3); x = x + 2; if :: x > 10 -> goto L :: else fi; L: x < 15 }
