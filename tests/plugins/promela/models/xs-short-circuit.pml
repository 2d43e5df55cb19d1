/* SPDX-License-Identifier: Apache-2.0 */
/* What is not computed is no use. */
chan q = [2] of { byte }; byte x;
active proctype A() { xs q; q!1 }
active proctype B() { if :: x == 1 && len(q) > 0 -> skip :: x == 0 || len(q) > 0 -> skip fi; x = (x == 1 -> len(q) : 1); assert(x == 1) }
