/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { do :: x < 2 -> x++ :: x == 4 -> break :: else -> x = (x + 1) % 5 od }
