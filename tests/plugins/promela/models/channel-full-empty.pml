/* SPDX-License-Identifier: Apache-2.0 */
/* All four questions, in guards beside what they ask for. */
chan c = [2] of { bit }; byte x;
active proctype P() { do :: nfull(c) -> c!1 :: full(c) && x < 3 -> x++ :: x == 3 -> break od }
active proctype Q() { do :: nempty(c) && x < 3 -> c?_ :: empty(c) && x == 2 -> x = 3 :: x >= 3 -> break od }
