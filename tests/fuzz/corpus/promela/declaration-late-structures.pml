/* Structures that are declared behind statements: a step, and no new values. */
typedef T { byte a; byte b[2] };
typedef U { T t[2]; int z = 4 };
byte x, y;
active proctype P() {
  x = 1; T t; t.a = 5; y = t.b[1]; t.b[1] = 6;
  do
  :: x < 4 -> U u; skip; x = x + 1; y = u.z; u.z = x; u.t[1].a = 6; T v[3], w; v[2].a++; y = v[2].a
  :: else -> break
  od;
  if :: x == 4 -> T s; T r; skip; U q; y = q.z :: x == 9 fi;
  atomic { x = 5; T k; x = 6 }; d_step { x = 7; T l; x = 8; y = l.b[0] }
}
active proctype Q() { do :: x == 3 -> y = 9 :: x > 5 -> break od }
