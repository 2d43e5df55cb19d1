/* SPDX-License-Identifier: Apache-2.0 */
/* As many processes as there can be. */
byte n; proctype P() { n == 1 }
init { byte i; atomic { do :: i < 254 -> run P(); i++ :: i == 254 -> break od } n = 2 }
