/* SPDX-License-Identifier: Apache-2.0 */
/* No timeout while a rendezvous can happen; a send whose receiver has gone does not count. */
chan r = [0] of { byte }; byte x;
active proctype P() { if :: r!1 :: timeout -> x = 7 fi; if :: r!2 :: timeout -> x = 8 fi }
active proctype Q() { byte v; r?v; x = v }
