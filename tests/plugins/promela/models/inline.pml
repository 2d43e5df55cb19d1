/* SPDX-License-Identifier: Apache-2.0 */
byte x, y; inline add(a, b) { a = a + b; if :: a > 4 -> a = 0 :: else fi } active [2] proctype P() { do :: add(x, 1) :: add(y, x); add(x, 2) od }
