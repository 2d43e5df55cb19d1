/* SPDX-License-Identifier: Apache-2.0 */
#define N 3
#define inc(v) v = (v + 1) % N
byte x, y; active [2] proctype P() { do :: inc(x) :: x == N - 1 -> inc(y) od }
