/* SPDX-License-Identifier: Apache-2.0 */
/* A value to compare with may be an expression, a negative one and the process's number, too. */
chan c = [2] of { byte, short }; byte x = 1; short y;
active [2] proctype P() { c!_pid, _pid - 1; c?eval(_pid), eval(_pid - 1); x++ }
active proctype Q() { if :: c?eval(x - 1), y -> y-- :: c?eval(x), 0 -> y = 10 fi; c!x - 1, y }
