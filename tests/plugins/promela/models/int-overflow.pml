/* SPDX-License-Identifier: Apache-2.0 */
int x = 2147483647; short s = 32767; active proctype P() { x = x + 1; s++; assert(x < 0 && s == -32768); x = -x }
