/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that are given by expressions, in one another, with break; arrays, also of structures. */
typedef S { byte a[2]; byte b } S s[2]; byte d[3]; byte i, j, n;
active proctype P() { for (i : 1 .. 3) { for (j : i .. 2) { n = n + j; if :: n > 4 -> break :: else fi } } for (i in d) { d[i] = i + n }
    for (j in s) { s[j].b = j; for (i in s[j].a) { s[j].a[i] = i + j } } n = s[1].a[1] + d[2] }
active proctype Q() { n = 1 }
