/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps within a d_step, forward and back. */
byte x, y;
active proctype P() { y = 1; d_step { x = y; again: if :: x < 5 -> x = x + 2; goto again :: x > 6 -> goto out :: else -> x = x + y fi;
    y = 4; out: x++ } y++ }
active proctype Q() { y = 3 }
