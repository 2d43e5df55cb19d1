/* SPDX-License-Identifier: Apache-2.0 */
/* Two have the channel to themselves; neither sends. */
chan q = [1] of { byte };
proctype A() { xs q; if :: q?_ :: true fi }
init { byte x; x++; run A(); run A() }
