/* SPDX-License-Identifier: Apache-2.0 */
byte x, y; active [2] proctype P() { do :: x < 2 -> x++ :: else -> x = 7; y = 0 :: x == 7 -> x = 0; y = 1 :: x == 4 -> y = 5 od }
