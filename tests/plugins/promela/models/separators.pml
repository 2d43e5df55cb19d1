/* SPDX-License-Identifier: Apache-2.0 */
/* Arrows and semicolons, doubled and at ends; empty options and blocks. */
byte x;
active proctype P() { x++ -> x++;; if :: x == 2 -> skip; :: x > 2 -> skip;; :: else; fi; { x++; }; do :: x < 5 -> x++; :: x >= 5; break;
    od; }
active proctype Q() { x = 3; }
