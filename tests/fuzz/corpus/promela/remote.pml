/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { byte v; v = 1; L: v = 2; x = 1 } active proctype Q() { P@L; x = 5; P:v == 2; x = 6; P[0]@L }
