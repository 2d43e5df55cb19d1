/* SPDX-License-Identifier: Apache-2.0 */
chan c[2] = [2] of { byte }; active proctype P() { byte i; do :: c[i]!i; i = 1 - i od } active proctype Q() { byte v; do :: c[0]?v; assert(v == 0) :: c[1]?v; assert(v == 1) od }
