/* SPDX-License-Identifier: Apache-2.0 */
/* Each type wraps at its own width, also below nought; an expression is wider than what it is stored in. */
bit a; bool b; byte c = 255; short d = 32767; int e = 2147483647; unsigned f : 3 = 7;
active proctype P() { a = 2; b = 3; c = c + 2; d = d + 1; e = e + 1; f = f + 2; a--; b--; c = c - 3; d = -d - 2; f = f - 3; c = d / 256;
    d = c * c; f = c }
