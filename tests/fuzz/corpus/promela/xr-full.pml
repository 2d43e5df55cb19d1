/* SPDX-License-Identifier: Apache-2.0 */
/* But not whether there is none. */
chan q = [2] of { byte };
active proctype A() { xs q; if :: full(q) -> skip :: q!1 fi }
active proctype B() { xr q; q?_ }
