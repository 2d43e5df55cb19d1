/* SPDX-License-Identifier: Apache-2.0 */
unsigned u : 3; unsigned w : 5 = 31; active proctype P() { u = 7; u++; assert(u == 0); w = w + 2; assert(w == 1); u = w - 2; assert(u == 7) }
