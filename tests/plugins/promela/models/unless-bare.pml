/* SPDX-License-Identifier: Apache-2.0 */
/* The body of an unless that is a statement and no block is no control point of its own: the unless is, from which all escapes are
 * equally good where it is in another one. */
byte x, p, w;
active [2] proctype P() { { x == 1 unless { 1 -> w = 1 } } unless { p == 0 -> p++; x == 1 }
    { { x == 1 } unless { w == 1 -> w = 2 } } unless { p == 1 -> p++ } }
active proctype Q() { byte v; { do :: v == 1 -> v = 0 :: v == 0 -> v = 1 od unless { w == 2 -> w = 3 } } unless atomic { p == 2 -> p++;
    x = 1 } }
