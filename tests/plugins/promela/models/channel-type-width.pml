/* SPDX-License-Identifier: Apache-2.0 */
chan c = [1] of { bit, short }; byte x; int y; active proctype P() { c!2, 70000; c?x, y; assert(x == 0 && y == 4464) }
