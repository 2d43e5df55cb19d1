/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { x = 'a'; assert(x == 97); x = '\n'; assert(x == 10) }
