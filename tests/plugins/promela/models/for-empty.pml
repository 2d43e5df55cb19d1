/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { byte i, n; for (i : 3 .. n) { x++ }; n = i; for (i : n .. n) { x = 9 } }
