/* SPDX-License-Identifier: Apache-2.0 */
/* else where options begin with choices, loops and atomic sequences of their own. */
byte x;
active proctype P() { do :: if :: x == 1 -> x = 4 :: x == 2 -> x = 5 fi :: atomic { x == 3 -> x = 6 } :: do :: x == 4 -> break od;
    x = 8 :: else -> x++; if :: x > 6 -> break :: else fi od }
active proctype Q() { x = 3; x = 0 }
