/* SPDX-License-Identifier: Apache-2.0 */
/* A size that is a variable without a positive constant is 8. */
byte n; int m = -2; short k = 1 + 1; byte a[n], b[m], c[k];
active proctype P() { a[7] = 1; b[7] = 2; if :: c[7] = 3 :: n = 8; a[n] = 4 fi }
