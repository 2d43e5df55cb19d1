/* SPDX-License-Identifier: Apache-2.0 */
chan c = [2] of { byte, byte }; byte x, y; active proctype P() { c!1, 2; c!3, 4; c?<x, y>; assert(x == 1); c?x, _; c?<3, y>; assert(y == 4); c?_, _; assert(len(c) == 0) }
