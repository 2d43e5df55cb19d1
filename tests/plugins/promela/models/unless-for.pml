/* SPDX-License-Identifier: Apache-2.0 */
/* An `unless` behind a `for` or `select` is the loop's: its first value is stored before. */
byte x, y, z = 2;
active proctype P() { byte i = 7; for (i : 0 .. 2) { x++ } unless { y == 1 -> x = 9 }; select (i : 0 .. z) unless { y == 2 }; x = i;
    L: for (i : 1 .. 2) { skip } unless { y == 3 -> goto L } }
active proctype Q() { y = 1; y = 2; y = 3; y = 0 }
