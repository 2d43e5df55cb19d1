/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { do :: x < 2 -> x++ :: else -> break od; end0: L: x == 5 }
