/* SPDX-License-Identifier: Apache-2.0 */
byte x; bool go; active proctype P() provided (go) { x++; x++; atomic { x++; x++ } } active proctype Q() { go = 1; go = 0; go = 1 }
