/* SPDX-License-Identifier: Apache-2.0 */
chan c = [0] of { byte }; byte x, z; active proctype P() { do :: atomic { x = 1; c!7 } :: x == 0 -> break od } active proctype Q() { byte y; do :: atomic { c?y; x = 0 } :: x == 9 -> x = 2 od } active proctype R() { z = 2; z = 3 }
