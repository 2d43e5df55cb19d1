/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends before the channel has somebody is none to fail. */
chan q = [2] of { byte };
proctype A() { xs q; q!2 }
init { q!1; run A(); q?1; q?2 }
