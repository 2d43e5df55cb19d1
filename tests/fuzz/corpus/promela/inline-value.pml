/* Inlines that give a value: "return" stores it, and goes on behind itself. */
typedef T { byte m; byte b[2] };
T t; byte x, y; int z;
inline f(a) { if :: a > 2 -> return a - 1 :: else -> return 2 fi }
inline g(b) { byte l; l = f(b); l++; return l + b; y = l }
inline h() { do :: x < 4 -> x++ :: else -> break od; L: return x }
inline started(n) { return run Q(n); z++ }
proctype Q(byte n) { y = n }
active proctype P() {
  byte q[2];
  x = f(3); y = g(x); t.m = h(); t.b[x - 3] = f(t.m); q[t.b[1] - 2] = g(x);
  x = f(5); atomic { x = h(); y = f(y); x = 9 }; d_step { z = f(7); z = g(1) };
  if :: x < 200 -> z = started(5) :: z = f(9) fi;
  { x = f(4); x = 0 } unless { x == 3 -> y = f(8) }
}
