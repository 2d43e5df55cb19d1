/* SPDX-License-Identifier: Apache-2.0 */
/* What is computed is. */
chan q = [2] of { byte }; byte x;
active proctype A() { xs q; q!1 }
active proctype B() { x++; x = (x == 1 -> len(q) : 1) }
