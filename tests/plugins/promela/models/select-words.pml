/* SPDX-License-Identifier: Apache-2.0 */
/* How `select` is written decides which steps it has: in a name "_", parentheses, a line that ends. */
byte x, x_y, _x;
active proctype P() { select (x : 1 .. 4); select (x_y : 1 .. 4); select (_x : 0 .. 2); select (x : 0 .. (2)); select (x : 0 ..
    2); select (x : (0) .. 2); select (x : 0 .. 1 + 1); select(x:1..3) }
