/* SPDX-License-Identifier: Apache-2.0 */
/* "-->" is "->". */
#define N 4
byte x, y = 6;
active proctype P() { do :: x < N --> x++ :: x == N --> break od --> if :: x < y --> skip --> y-- :: else --> skip fi }
active proctype Q() { (x > 2) --> y = 3 }
