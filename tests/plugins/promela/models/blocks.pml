/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { { x = 7; L: x = 8 }; if :: x == 8 -> { skip; skip } :: x == 9 -> { { x = 3 } } fi; goto L } active proctype Q() { x = 9 }
