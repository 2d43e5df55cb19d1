/* SPDX-License-Identifier: Apache-2.0 */
typedef T { byte a; bool b; short c[2] }; T t;
active proctype P() { T w; t.a = 1; t.c[1] = -5; w.a = t.a + 1; w.c[0] = t.c[1]; assert(w.c[0] == -5 && w.a == 2) }
