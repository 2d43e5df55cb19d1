/* SPDX-License-Identifier: Apache-2.0 */
byte x, y; active [2] proctype P() { do :: atomic { if :: x < 2 -> x++ :: x > 0 -> x-- fi; y = x; if :: y == 1 -> y = 5 :: else fi; x = x } od }
