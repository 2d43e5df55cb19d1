/* SPDX-License-Identifier: Apache-2.0 */
/* Commas between the names of an mtype, behind the last of them, or none at all. */
mtype = { red, green, blue, };
mtype { low high };
mtype:fruit = { apple pear, fig, }
mtype m = low; mtype:fruit f; byte x;
active proctype P() { x = m + red; m = high; f = pear; x = x + f; m = green }
active proctype Q() { if :: m == high -> f = fig :: m == blue -> x = 0 :: m == green -> x = 9 fi }
