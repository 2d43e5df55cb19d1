/* SPDX-License-Identifier: Apache-2.0 */
byte x; int y; byte a[2]; active [2] proctype P() { do :: x = (x < 3 -> x + 1 : 0); y = (x == 0 -> 7 : 14 / x); a[(x > 1 -> 0 : x)] = (x < 2 -> a[x] : 1) od }
