/* SPDX-License-Identifier: Apache-2.0 */
chan c = [0] of { byte }; byte x, z; active proctype P() { atomic { x = 1; c!7; x = 2; x = 3 } } active proctype Q() { byte y; atomic { c?y; x = y; z == 2; z = 1 } } active proctype R() { z = 2; z = 3 }
