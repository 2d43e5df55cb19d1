/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional values in one another, in conditions, as an index and in a message. */
byte x, a[3]; chan c = [1] of { byte };
active [2] proctype P() { byte v; a[(x > 0 -> (x > 1 -> 2 : 1) : 0)] = _pid + 1; (x < 3 -> x % 2 == 0 : 1) -> x++; c!(x > 1 -> x : 5);
    c?v; x = (v == 5 -> 1 : (v > 2 -> 0 : v)) }
