/* SPDX-License-Identifier: Apache-2.0 */
/* Values are cut to the fields' widths when they are sent, and again when they are taken. */
chan c = [2] of { byte, short, bit, int }; byte a; short b; bit d; int e; bool f;
active proctype P() { c!300, 40000, 2, 100000; c!-1, -40000, 3, -1 }
active proctype Q() { c?a, b, d, e; c?b, a, f, d; e = a + b }
