/* SPDX-License-Identifier: Apache-2.0 */
/* A label before a `for` is that of its loop: who goes there goes by the first value. */
byte x, y, a[3];
active proctype P() { byte i = 2; goto L; L: for (i : 0 .. 3) { x++ } if :: goto M :: y < 2 -> y++; goto L :: else fi;
    M: for (i in a) { x-- } x = 0; end: for (i : 1 .. 2) { (x > 5) } }
active proctype Q() { byte i; if :: goto L :: skip fi; { L: for (i : 1 .. 2) { x++ } } }
