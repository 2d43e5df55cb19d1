/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { do :: x < 2 -> x++ :: timeout -> break od; x = 9 } active proctype Q() { x == 2; x = 3; x == 1 }
