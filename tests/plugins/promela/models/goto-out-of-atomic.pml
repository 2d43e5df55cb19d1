/* SPDX-License-Identifier: Apache-2.0 */
/* Out of one atomic sequence into another one, and to a statement outside of both. */
byte x;
active [2] proctype P() { atomic { x++; if :: x < 2 -> goto b :: x >= 2 -> goto c fi } x = 9; atomic { x = x + 3; b: x = x + 4; x++ }
    c: x = x / 2; x++ }
