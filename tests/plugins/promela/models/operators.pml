/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders of negative numbers, shifts, complements, and how operators bind. */
int x = -7; int y; short s = 1; byte b = 200;
active proctype P() { y = x % 3; y = x / 2; y = -x % 4; s = s << 14; s = s << 1; s = s >> 3; b = b << 1; b = ~b; y = 1 | 6 & 3 ^ 2;
    y = !x + !0; y = 5 - 2 - 1; y = 2 + 3 << 1; y = 7 & 3 == 3; y = x < 0 == 1; y = -2147483647 - 1; y = b >> 2 }
