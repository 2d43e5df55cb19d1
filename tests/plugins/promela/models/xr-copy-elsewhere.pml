/* SPDX-License-Identifier: Apache-2.0 */
/* Likewise; others do. */
chan q = [2] of { byte };
active proctype A() { byte x; xr q; q?<x>; q?_ }
active proctype B() { byte x; q!2; q?<x> }
