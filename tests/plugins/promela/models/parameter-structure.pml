/* SPDX-License-Identifier: Apache-2.0 */
/* Structures as parameters: an argument for each field, a structure with as many or their values. */
typedef In { byte k = 9; bit b }; typedef T { short f = 3; In in; unsigned u : 2 }; typedef Other { byte a, b, c, d };
byte out;
proctype P(T t; byte n) { out = out + t.f + t.in.k + n; t.f = t.u; t.in.k = 7; assert(t.u <= 3) }
proctype Q(byte n; T t) { (out > 3) -> out = t.in.k + n + t.in.b; t.in.b = 0 }
active proctype R(T t) { assert(t.f == 0 && t.in.k == 0); t.in.b = 1 }
init { T a[2]; Other o; a[1].f = 4; a[1].in.k = 5; a[1].u = 3; o.d = 2; run P(a[1], 2); run Q(1, o); run P(1, 2, 3, 6, 1); assert(a[1].f == 4) }
