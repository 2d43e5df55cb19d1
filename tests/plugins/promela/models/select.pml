/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { byte i; select (i : 2 .. 4); x = i; select (i : 1 .. x); x = x + i }
