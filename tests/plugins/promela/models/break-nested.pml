/* SPDX-License-Identifier: Apache-2.0 */
byte x, y; active proctype P() { do :: x < 3 -> x++; do :: y < 2 -> y++ :: break od :: x == 3 -> break od; y = 9 }
