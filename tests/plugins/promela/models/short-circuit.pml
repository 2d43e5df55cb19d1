/* SPDX-License-Identifier: Apache-2.0 */
byte x, a[2]; active proctype P() { x = 5; if :: x < 2 && a[x] == 0 -> x = 1 :: x >= 2 || a[x] == 1 -> x = 2 fi }
