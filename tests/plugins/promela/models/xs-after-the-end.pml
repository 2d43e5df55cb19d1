/* SPDX-License-Identifier: Apache-2.0 */
/* The process that had the channel has ended. */
chan q = [2] of { byte };
active proctype A() { _nr_pr == 1; q!2 }
active proctype B() { xs q; q!1 }
