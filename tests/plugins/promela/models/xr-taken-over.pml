/* SPDX-License-Identifier: Apache-2.0 */
/* A process takes over the end of a channel from one that had it to itself; then two have it. */
chan q[3] = [1] of { byte };
proctype P(chan in; byte k) { byte x; xr in; in?x; assert(x == k) }
init { byte i; do :: i < 3 -> run P(q[i], i); q[i]!i; (_nr_pr == 1); i++ :: else -> break od; run P(q[0], 7); run P(q[1], 7); run P(q[0], 8) }
