/* SPDX-License-Identifier: Apache-2.0 */
/* What is read without taking it: the first, or any that fits; variables get their values. */
chan c = [3] of { byte, bool }; byte x, y; bool b;
active proctype P() { c!4, 1; c!7, 0; c!9, 1 }
active proctype Q() { c?<x, b>; c??<7, b>; c??<y, eval(b)>; x = x + y; c??7, b; c?<y, _>; do :: c?y, b :: x > 3 -> x--
    :: timeout -> break od }
