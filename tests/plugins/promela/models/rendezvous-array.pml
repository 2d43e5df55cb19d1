/* SPDX-License-Identifier: Apache-2.0 */
/* A rendezvous on an element whose index is a variable, received by whoever asks for that element. */
chan r[2] = [0] of { byte }; byte x, i;
active proctype P() { r[i]!3; i++; r[i % 2]!4; i++; r[i - 2]!5 }
active [2] proctype Q() { byte v; do :: r[0]?v -> x = v :: r[_pid - 1]?v -> x = v + 1 :: i > 1 -> break od }
