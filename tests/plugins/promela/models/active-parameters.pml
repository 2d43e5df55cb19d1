/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of processes that nobody has run are nought. */
byte x;
active [2] proctype P(byte v; short w) { x = x + v + _pid; v++; x = x + v + w; if :: _pid == 1 && x < 9 -> run P(3, -1) :: else fi }
