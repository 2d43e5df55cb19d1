/* SPDX-License-Identifier: Apache-2.0 */
/* An index that is too large by one, computed, in an assignment. */
byte a[3]; byte i;
active proctype P() { do :: i < 4 -> a[i] = i; i++ :: i == 4 -> break od }
