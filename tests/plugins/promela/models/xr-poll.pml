/* SPDX-License-Identifier: Apache-2.0 */
/* Who has both ends may look at messages. */
chan q = [2] of { byte };
active proctype A() { xr q; xs q; q!1; if :: q?[1] -> q?1 :: else -> assert(false) fi }
