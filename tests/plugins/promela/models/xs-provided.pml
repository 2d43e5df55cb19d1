/* SPDX-License-Identifier: Apache-2.0 */
/* It is not tried by who may not move. */
chan q = [1] of { byte }; bool on;
active proctype A() { xs q; q!1 }
active proctype B() provided (on) { q!2 }
