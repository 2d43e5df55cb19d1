/* SPDX-License-Identifier: Apache-2.0 */
byte x, y; active [2] proctype P() { do :: d_step { x < 3; x++; y = x; if :: y == 1 -> y = 7 :: y == 1 -> y = 8 :: else -> y = 0 fi; x = x } :: d_step { x == 3; x = 0 } od }
