/* SPDX-License-Identifier: Apache-2.0 */
/* In the middle of an atomic sequence. */
chan q = [2] of { byte };
active proctype A() { byte n, m; atomic { m = 1; n = len(q); m = 0 } }
active proctype B() { xr q; q?_ }
