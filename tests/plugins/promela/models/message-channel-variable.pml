/* SPDX-License-Identifier: Apache-2.0 */
/* Which channel a variable means decides whether a message has too many fields. */
chan a = [1] of { byte }; chan b = [1] of { byte, byte };
byte x;
active proctype P() { chan v; v = b; v!1, 2; v?x, _; v = a; if :: v!3 :: skip fi; do :: x < 4 -> x++ :: x >= 4 -> v = b; break od; v!1, 2; v = a;
    if :: len(a) == 0 -> v!3, 4 :: else -> v?x fi }
