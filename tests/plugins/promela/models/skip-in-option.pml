/* SPDX-License-Identifier: Apache-2.0 */
/* Within options, skips behind one another are one, but for the last statement and where there is a label; elsewhere they are not. */
byte x; active proctype P() { skip; skip; if :: skip -> skip; skip :: x = 1; printf("x\n"); true; 1; skip; x++ :: x == 0; skip; L: skip;
    skip; printf("y\n"); printf("z\n"); skip fi; do :: x < 3; x++; skip; skip; if :: skip; skip; skip :: else fi; skip; { skip; skip }
    :: x == 3; skip; skip; break od; skip; skip; x = 0 }
active proctype Q() { x == 3 -> x = 4; x = 3 }
