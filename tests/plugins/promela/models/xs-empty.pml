/* SPDX-License-Identifier: Apache-2.0 */
/* Whether there is nothing it may not. */
chan q = [2] of { byte };
active proctype A() { xs q; q!1; q!2 }
active proctype B() { xr q; do :: q?_ :: empty(q) -> break od }
