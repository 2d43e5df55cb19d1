/* SPDX-License-Identifier: Apache-2.0 */
chan c = [3] of { byte, bit }; active proctype P() { byte i; do :: c!i, 1; i = (i + 1) % 3 :: c!i, 0 od } active proctype Q() { byte v; do :: c?v, 1 :: c?v, 0 -> v = 0 od }
