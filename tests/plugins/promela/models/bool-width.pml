/* SPDX-License-Identifier: Apache-2.0 */
bool b; bit c; byte n; active proctype P() { b = 2; c = 3; n = 300; assert(b == 0 && c == 1 && n == 44); b = 1; b = !b }
