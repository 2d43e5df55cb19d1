/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { do :: atomic { x < 3; x++; x != 1; x = x } od } active proctype Q() { do :: x == 1 -> x = 2 :: x > 2 -> x = 0 od }
