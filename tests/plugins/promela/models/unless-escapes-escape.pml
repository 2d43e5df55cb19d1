/* SPDX-License-Identifier: Apache-2.0 */
/* An escape out of an escape's own body, and a loop in it that goes round the whole. */
byte x, y;
active proctype P() { again: { do :: x < 3 -> x++ :: x == 5 -> break od } unless { y == 1 -> { x = 0; y = 2; x = 5 }
    unless { y == 3 -> y = 4; goto again } } x = 6 }
active proctype Q() { y = 1; if :: y == 2 -> y = 3 :: y == 4 -> skip fi; x = 5 }
