/* SPDX-License-Identifier: Apache-2.0 */
/* The third gets the channel of the second. */
chan q[3] = [1] of { byte };
proctype P(chan in; chan out) { byte x; xr in; xs out; do :: in?x; out!x od }
init { q[0]!1; atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[1]) } }
