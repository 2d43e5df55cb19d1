/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { x == 1; x = 2; x == 3; x = 4 } active proctype Q() { x = 1; x == 2; x = 3 }
