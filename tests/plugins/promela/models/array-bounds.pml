/* SPDX-License-Identifier: Apache-2.0 */
byte a[3]; active proctype P() { byte i; do :: i < 9 -> a[i] = 1; i++ od }
