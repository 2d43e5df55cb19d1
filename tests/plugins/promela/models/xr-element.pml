/* SPDX-License-Identifier: Apache-2.0 */
/* An element of an array, by a name of its own. */
chan q[2] = [1] of { byte };
active proctype A() { chan mine = q[1]; xs mine; mine!1 }
active proctype B() { q[0]!1; q[1]!2 }
active proctype C() { q[1]?_ }
