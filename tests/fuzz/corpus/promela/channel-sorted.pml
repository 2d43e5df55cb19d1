/* SPDX-License-Identifier: Apache-2.0 */
chan c = [3] of { byte, byte }; byte x, y; active proctype P() { c!!2, 1; c!!1, 9; c!!1, 3 } active proctype Q() { c!!1, 5; c?x, y; x = 0 }
