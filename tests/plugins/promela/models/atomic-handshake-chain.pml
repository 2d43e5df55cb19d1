/* SPDX-License-Identifier: Apache-2.0 */
/* Control goes along a chain of rendezvous, and back to the first when the last leaves its sequence. */
chan a = [0] of { byte }; chan b = [0] of { byte }; byte x;
active proctype P() { atomic { a!1; x++; x = x * 2 } }
active proctype Q() { byte v; atomic { a?v; b!v + 1; x = x + v } }
active proctype R() { byte v; b?v; x = x + v; x++ }
