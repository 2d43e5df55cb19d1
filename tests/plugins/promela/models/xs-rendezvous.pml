/* SPDX-License-Identifier: Apache-2.0 */
/* A rendezvous channel has no end of its own. */
chan q = [0] of { byte };
active proctype A() { byte x; x++; xs q; q!1 }
active proctype B() { q?_ }
