/* SPDX-License-Identifier: Apache-2.0 */
/* Two that lose atomicity in the middle, and get it back when the other one has moved. */
byte x, turn;
active [2] proctype P() { atomic { x++; turn == _pid; x = x * 2; turn = 1 - turn; turn == _pid; x++ } turn = 1 - _pid }
