/* SPDX-License-Identifier: Apache-2.0 */
/* What is received may stand in parentheses, as a whole or from some field on. */
chan c = [2] of { byte, byte, byte }; chan r = [0] of { byte, bit };
byte x, y, z;
active proctype P() { c!1(2, 3); c!4, 5, 6; r!(x + 1)(1); c??(4, 5, z); c?(x, y(z)) }
active proctype Q() { bit b; byte k; r?(k, b); if :: c?[(1, _, z)] -> k = 7 :: c?[x(2, 3)] -> k = 8 :: c??[4, (5, 6)] -> k = 9 fi;
    c?<(x, y, z)>; c?_(_(_)) }
