/* SPDX-License-Identifier: Apache-2.0 */
byte a[3]; short s[2] = 7; active proctype P() { byte i; do :: i < 3 -> a[i] = i * 2; s[i % 2] = a[i] - 5; i++ :: else -> break od; assert(a[2] == 4 && s[0] == -1) }
