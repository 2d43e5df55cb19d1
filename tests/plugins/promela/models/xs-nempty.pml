/* SPDX-License-Identifier: Apache-2.0 */
/* Whether there is something the receiver may ask, though another sends. */
chan q = [2] of { byte };
active proctype A() { xs q; q!1; q!2 }
active proctype B() { xr q; do :: nempty(q) -> q?_ :: timeout -> break od }
