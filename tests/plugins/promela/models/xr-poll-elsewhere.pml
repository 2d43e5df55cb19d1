/* SPDX-License-Identifier: Apache-2.0 */
/* Who has one may not. */
chan q = [2] of { byte };
active proctype A() { xs q; q!1; if :: q?[1] -> skip :: else -> skip fi }
active proctype B() { xr q; q?1 }
