/* SPDX-License-Identifier: Apache-2.0 */
/* An escape that goes first keeps the use from being tried. */
chan q = [2] of { byte };
active proctype A() { xr q; q?_ }
active proctype B() { { q?_ } unless { true -> skip }; q!1 }
