/* SPDX-License-Identifier: Apache-2.0 */
/* A jump out of two loops at once, and a break out of the inner one. */
byte i, j, n;
active proctype P() { do :: i < 3 -> i++; j = 0; do :: j < i -> j++; n++ :: j == 1 && i == 2 -> goto done :: j >= i -> break od
    :: i == 3 -> break od; n = 0; done: i = 0 }
