/* SPDX-License-Identifier: Apache-2.0 */
byte s; proctype P(byte a; short b; bool c) { s = s + a; b--; if :: c -> s = s + b :: else fi } init { run P(1, 2, 1); run P(300, -1, 2) }
