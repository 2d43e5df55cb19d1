/* SPDX-License-Identifier: Apache-2.0 */
byte x; proctype Z(byte k) { x = x + k } init { byte i; do :: i < 3 -> run Z(i); i++ :: else -> break od; x++ }
