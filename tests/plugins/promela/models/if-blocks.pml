/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { if :: x == 1 -> x = 2 :: x == 2 -> x = 3 fi; x = 4 } active proctype Q() { x = 1; x = 2 }
