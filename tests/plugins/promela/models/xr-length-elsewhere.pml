/* SPDX-License-Identifier: Apache-2.0 */
/* The sender asks for the length of a channel whose receiving end another has. */
chan q = [2] of { byte };
active proctype A() { byte n; q!1; n = len(q); q!2 }
active proctype B() { xr q; q?_; q?_ }
