/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden variables that nothing reads: what is stored, received or counted in them makes no states. */
hidden byte h, k = 3; hidden int total; hidden short b;
byte x, y;
chan c = [1] of { byte, byte }; chan r = [0] of { byte, bit };
inline twice(v) { return v + v }
active proctype P() { do :: x < 3 -> h++; x++ :: x > 0 -> h = x * 2; total = -x; x-- :: c!x, 1; d_step { k = x; k-- } :: r!x, 1 od }
active proctype Q() { do :: c?h, y :: c?<h, k> -> c?_, y :: r?k, b; h = twice(y) od }
