/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { x++ } active proctype Q() { x++; x == 9 }
