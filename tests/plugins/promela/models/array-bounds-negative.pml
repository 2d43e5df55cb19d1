/* SPDX-License-Identifier: Apache-2.0 */
/* An index below nought, when it is read. */
byte a[3]; int i = 2; byte x;
active proctype P() { do :: i > -3 -> x = a[i]; i = i - 1 :: i == -3 -> break od }
