/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { atomic { do :: x < 3 -> x++ :: else -> break od; x = 1 }; x = 2; atomic { do :: x > 0 -> x-- :: x == 0 -> break od } }
