/* SPDX-License-Identifier: Apache-2.0 */
/* Who has the receiving end may copy a message, others not. */
chan q = [2] of { byte };
active proctype A() { byte x; xr q; q?<x>; q?_ }
active proctype B() { byte x; q!2; if :: x == 1 -> q?<x> :: else fi }
