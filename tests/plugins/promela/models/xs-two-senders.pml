/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes send, one of which has said that it alone does. */
chan q = [2] of { byte };
active proctype A() { xs q; q!1; q!2 }
active proctype B() { q!3 }
active proctype C() { byte x; do :: q?x od }
