/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { printf("x is %d\n", x); x++; printf("done\n"); atomic { x++; printf("%d %d\n", x, x); x++ } }
