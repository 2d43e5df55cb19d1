/* SPDX-License-Identifier: Apache-2.0 */
/* Not even who has the receiving end may take what is not the first. */
chan q = [2] of { byte };
active proctype A() { q!2; q!1 }
active proctype B() { xr q; q??1; q?_ }
