/* SPDX-License-Identifier: Apache-2.0 */
/* All are started in one step, with values that change between; init's own number is in the middle. */
byte x; active proctype A() { x = x + 1 } proctype B(byte v) { x = x + v + _pid }
init { byte i; atomic { i = 2; run B(i); i++; run B(i * x); x = _pid; run B(_nr_pr) } x++ }
