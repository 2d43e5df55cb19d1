/* SPDX-License-Identifier: Apache-2.0 */
/* Inlines in one another, whose parameters are places, constants, channels and operators of a condition. */
byte x, a[2]; chan c = [1] of { byte };
inline add(to, by) { to = to + by } inline twice(place, with) { add(place, with); add(place, with + 1) } inline put(q, e) { byte t;
    t = e; q!t; t = 0 }
inline when(cond, where) { if :: cond -> twice(where, 2) :: else -> skip fi }
active proctype P() { twice(a[1], 3); put(c, a[1] + 1); when(x == 0 && a[1] > 2, x); put(c, x) }
active proctype Q() { byte n; c?n; when(n > 3, a[n % 2]); c?n; add(x, n) }
