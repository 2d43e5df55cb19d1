/* SPDX-License-Identifier: Apache-2.0 */
byte x; proctype Z(byte k) { x = x + k; x < 99 } init { byte i; atomic { do :: i < 3 -> run Z(i); i++ :: else -> break od; i = 0 }; x++ }
