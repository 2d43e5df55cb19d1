/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { goto L; { x = 1; L: x = 2; if :: x == 2 -> M: x = 3; goto N :: x == 3 fi }; N: if :: x < 4 -> x = 4; goto M :: else fi }
