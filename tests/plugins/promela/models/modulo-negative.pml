/* SPDX-License-Identifier: Apache-2.0 */
int x = -7; active proctype P() { x = x % 3; assert(x == -1); x = -7 / 2; assert(x == -3); x = (-7) >> 1; assert(x == -4) }
