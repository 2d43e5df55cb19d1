/* SPDX-License-Identifier: Apache-2.0 */
/* All formats, with expressions that have side conditions of their own. */
mtype = { red }; byte x = 65; int y = -3; mtype m = red;
active [2] proctype P() { printf("%d %c %o %u %x %e\n", y, x, x, x, x, m); x++; printf("%%\t\"%d\"\\\n", x + y); printm(m); y = x }
