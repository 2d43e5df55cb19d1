/* SPDX-License-Identifier: Apache-2.0 */
/* What is sent is not computed where there is no room. */
chan q = [1] of { byte }; chan r = [1] of { byte };
active proctype A() { xr r; r?_; q?_ }
active proctype B() { q!1; q!len(r) }
