/* SPDX-License-Identifier: Apache-2.0 */
byte x; inline one(v) { v++ } inline two(v) { one(v); byte t; t = v; one(v) } active proctype P() { two(x); two(x); assert(x == 4) }
