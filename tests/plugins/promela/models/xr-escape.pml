/* SPDX-License-Identifier: Apache-2.0 */
/* It is tried before what it is an escape of. */
chan q = [2] of { byte };
active proctype A() { xr q; q?_ }
active proctype B() { { q!1; q!2 } unless { q?_ } }
