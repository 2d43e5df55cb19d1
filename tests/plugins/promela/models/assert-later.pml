/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { assert(x != 1) }
