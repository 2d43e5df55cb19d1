/* SPDX-License-Identifier: Apache-2.0 */
/* A choice of a number between expressions, of one number, and in a loop. */
byte x, y, n; int lo = -1;
active proctype P() { select (x : 1 .. 3); select (y : x .. x + 1); do :: n < 2 -> select (n : n + 1 .. y) :: n >= 2 -> break od;
    select (lo : lo .. -1); select (x : 3 .. 3) }
