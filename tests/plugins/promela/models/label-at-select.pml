/* SPDX-License-Identifier: Apache-2.0 */
/* So is one before a `select`, where that is not one of its few words, which are read as a choice. */
byte x, y = 3, a_b;
inline within(i) { byte k = 1; goto N; N: select (i : 0 .. 2); y = i }
active proctype P() { byte i = 2; goto K; K: select (i : 0 .. y); x = i; goto L; L: select (i : 1 .. 3); x = i; a_b = 1; goto M;
    M: select (a_b : 0 .. 2); x = a_b; within(x); i = 1; goto O; O: select (i : 0 .. 35); x = i }
