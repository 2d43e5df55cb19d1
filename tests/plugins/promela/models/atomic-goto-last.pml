/* SPDX-License-Identifier: Apache-2.0 */
/* From the end of one atomic sequence to the last statement of another one, by a choice and by an escape: the two are one. */
byte x, g;
active proctype P() { do :: atomic { 1; M: g < 5 } :: atomic { g < 5 -> g++; goto M } :: g == 5 -> break od; { atomic { 1; N: x == 3 } }
    unless atomic { g < 9 -> g++; goto N } }
active proctype Q() { x++; g = 3; x = 3 }
