/* SPDX-License-Identifier: Apache-2.0 */
byte x, a[3]; active proctype P() { byte i; for (i : 1 .. 3) { x = x + i; a[i - 1] = x }; for (i in a) { x = x + a[i] } }
