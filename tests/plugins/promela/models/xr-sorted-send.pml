/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted send changes what its receiver finds first. */
chan q = [2] of { byte };
active proctype A() { q!!2; q!!1 }
active proctype B() { xr q; q?_; q?_ }
