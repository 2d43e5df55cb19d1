/* SPDX-License-Identifier: Apache-2.0 */
/* The index of an array of channels. */
chan c[2] = [1] of { byte }; byte i;
active proctype P() { do :: c[i]!i; i++ :: i > 3 -> break od }
