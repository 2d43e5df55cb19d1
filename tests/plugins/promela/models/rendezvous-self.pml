/* SPDX-License-Identifier: Apache-2.0 */
/* A process does not meet itself, also where both ends are options of its own choice. */
chan r = [0] of { byte }; byte x;
active [2] proctype P() { byte v; if :: r!_pid + 1 -> x = x + 10 :: r?v -> x = x + v fi }
active proctype Q() { byte v; do :: r?v -> x++ :: r!0 -> x = 0 :: x > 20 -> break od }
