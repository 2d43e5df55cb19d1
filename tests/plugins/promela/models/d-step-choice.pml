/* SPDX-License-Identifier: Apache-2.0 */
/* Of several guards that hold in a d_step the first is taken, in a loop each time. */
byte x, y;
active proctype P() { do :: y < 3 -> d_step { if :: x > 1 -> x = 0 :: x >= 0 -> x++ :: x == 0 -> x = 9 fi; do
    :: x > 0 && x < 4 -> x = x + 2 :: x < 8 -> break :: else -> x = 1 od; y++ } :: y > 1 -> break od }
active proctype Q() { x = 5; x = 1 }
