/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of processes, each with an end of two channels to itself. */
chan q[3] = [1] of { byte };
proctype P(chan in; chan out; byte n) { byte x; xr in; xs out; if :: n == 0 -> out!1 :: else fi; do :: in?x; if :: x < 5 -> out!x + 1 :: else -> out!x; break fi od }
init { atomic { run P(q[0], q[1], 0); run P(q[1], q[2], 1); run P(q[2], q[0], 2) } }
