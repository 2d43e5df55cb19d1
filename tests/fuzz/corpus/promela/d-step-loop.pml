/* SPDX-License-Identifier: Apache-2.0 */
byte a[4], s; active [2] proctype P() { d_step { byte i; i = 0; do :: i < 4 -> a[i] = a[i] + i; s = s + a[i]; i++ :: else -> break od; i = 0 }; s = 0 }
