/* SPDX-License-Identifier: Apache-2.0 */
/* Into the middle of a loop, of an option, of an atomic sequence. */
byte x;
active proctype P() { if :: goto a :: goto b :: goto c fi; do :: x > 3 -> break :: else -> x++; a: x = x + 2 od; if :: x == 0 -> x = 1;
    b: x = 7 :: else fi; atomic { x++; c: x = x + 3; x++ } x = 0 }
active proctype Q() { x == 7; x = 8 }
