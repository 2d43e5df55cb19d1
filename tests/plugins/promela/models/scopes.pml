/* SPDX-License-Identifier: Apache-2.0 */
byte x = 1; active proctype P() { byte y = x; x = 5; { byte x; x = 2; y = y + x }; { byte z = 7; y = y + z }; y = y + x; assert(y == 15) }
