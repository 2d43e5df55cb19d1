/* SPDX-License-Identifier: Apache-2.0 */
/* Body and escape both begin with ends of rendezvous: what the escape offers goes first. */
chan r = [0] of { byte }; chan s = [0] of { byte }; byte x;
active proctype P() { byte v; { r!1; x++; r!2; x++ } unless { s?v -> x = v } x = x + 10 }
active proctype Q() { byte v; do :: r?v -> x = x + v :: s!5 -> break :: x > 3 -> break od }
