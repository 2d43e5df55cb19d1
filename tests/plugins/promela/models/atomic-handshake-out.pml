/* SPDX-License-Identifier: Apache-2.0 */
/* A rendezvous out of an atomic sequence hands control to the receiver, which is in one of its own and blocks there. */
chan r = [0] of { byte }; byte x, y;
active proctype P() { atomic { x = 1; r!5; x = 2 } x = 3 }
active proctype Q() { byte v; atomic { r?v; y = v; x == 3; y = 9 } y = x }
active proctype R() { y = 1; y = 2 }
