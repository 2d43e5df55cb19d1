/* SPDX-License-Identifier: Apache-2.0 */
/* Within a d_step. */
chan q = [2] of { byte };
active proctype A() { xs q; q?_ }
active proctype B() { byte x; d_step { x++; q!1 } }
