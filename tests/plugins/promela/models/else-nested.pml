/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { do :: if :: x < 2 -> x++ :: else -> x = 7 fi :: x == 7 -> x = 0 od }
