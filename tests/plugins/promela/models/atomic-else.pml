/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { atomic { do :: x < 2 -> x++; break :: else -> x = 0 od }; atomic { if :: x == 1 -> x == 2 :: else fi; x = 1 } }
