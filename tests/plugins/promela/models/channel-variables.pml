/* SPDX-License-Identifier: Apache-2.0 */
/* Channels are values: assigned, compared, put into arrays and read from there. */
chan a = [1] of { byte }; chan b = [1] of { byte }; chan k[2]; byte x;
active proctype P() { chan m; k[0] = a; k[1] = b; if :: m = a :: m = b fi; if :: m == k[0] -> x = 1 :: else -> x = 2 fi; k[x - 1]!x;
    m?x; m = k[0]; m!9 }
active proctype Q() { byte v; a?v; x = v }
