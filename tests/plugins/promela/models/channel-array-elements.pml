/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of an array of channels as parameters, each process with two of them in a ring. */
chan c[3] = [1] of { byte }; byte max;
proctype Node(chan in, out; byte id) { byte v; out!id; in?v; if :: v > id -> out!v; in?v :: else fi; if :: v > max -> max = v :: else fi }
init { atomic { run Node(c[0], c[1], 1); run Node(c[1], c[2], 3); run Node(c[2], c[0], 2) } }
