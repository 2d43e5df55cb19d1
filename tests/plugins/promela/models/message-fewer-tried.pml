/* SPDX-License-Identifier: Apache-2.0 */
/* The send of a rendezvous is an error as soon as it is tried, also where nobody receives. */
chan c = [0] of { byte, byte };
byte x;
active proctype P() { x = 1; x = 2; if :: x == 3 -> c!1 :: else fi; if :: x = 4 :: c!2 fi }
