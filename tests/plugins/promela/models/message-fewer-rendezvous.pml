/* SPDX-License-Identifier: Apache-2.0 */
/* The same at a rendezvous: an error where both would do it. */
chan c = [0] of { byte, byte };
byte x;
active proctype P() { if :: c!1, 2 :: x = 3 fi; c!2, x }
active proctype Q() { c?3; c?1, x }
active proctype R() { byte y; (x == 3) -> c?y }
