/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of bits are not cut to one: they hold what a byte can. A bit alone is, also in an array of structures. */
typedef T { bit g[2]; bit h } T t; T u[2]; bit a[2] = 3; bool b[2]; bit s; chan c = [1] of { T };
active proctype P() { bool l[2]; a[1]++; b[0] = a[1] + 3; l[1] = b[0] << 1; t.g[0] = l[1] + 300; t.h = t.g[0]; c!t; u[1].h = 7;
    u[1].g[1] = 7; c?u[1]; s = a[1] }
active proctype Q() { if :: a[1] > 1 -> a[1]-- :: b[0] > 1 -> b[0] = !b[0] :: t.g[0] == 57 -> t.g[0] = 256 fi }
