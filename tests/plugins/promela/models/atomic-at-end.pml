/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [3] proctype P() { if :: atomic { x < 3 -> x++; if :: x == 1 :: x == 2 -> x = 2 :: else -> x = 0 fi } :: atomic { x == 0; x = 5 } fi }
