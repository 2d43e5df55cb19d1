/* SPDX-License-Identifier: Apache-2.0 */
byte n; proctype Z(byte k) { n = n + k } init { run Z(1); run Z(2); n++ } active proctype A() { n = 0 }
