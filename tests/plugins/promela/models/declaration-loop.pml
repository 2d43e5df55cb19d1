/* SPDX-License-Identifier: Apache-2.0 */
byte r; active proctype P() { byte i; do :: i < 3 -> i++; byte k = 5; k = k + i; r = k :: else -> break od }
