/* SPDX-License-Identifier: Apache-2.0 */
int x = 3; active proctype P() { x = -x; x = x - -1; assert(x == -2); x = ~x; x = x << 2; x = x >> 1; x = (x ^ 5) & 7 | 8 }
