/* SPDX-License-Identifier: Apache-2.0 */
/* The sender may ask whether there is room. */
chan q = [2] of { byte };
active proctype A() { xs q; do :: nfull(q) -> q!1; break od }
active proctype B() { xr q; q?_ }
