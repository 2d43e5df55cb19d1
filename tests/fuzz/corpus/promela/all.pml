#if defined(N) || 1 > 2
#else
#define N 2
#endif
#define inc(v) v = (v + 1) % N
mtype = { a, b }; typedef T { byte f; bool g }; T t[2]; chan c = [2] of { mtype, byte };
chan r = [0] of { byte }; byte x = 1; unsigned u : 3;
inline twice(v) { inc(v); inc(v) }
proctype Q(chan k; byte n) { byte y; end: do :: k?y -> assert(y < 9) :: timeout -> break od }
active proctype P() provided (x < 9) { byte i; L: if :: atomic { x == 1 -> x = 2; r!1; t[x - 1].f = 1 }
 :: c!!a, 3 :: c??eval(x), _ :: d_step { x > 3; x = (x > 1 -> 0 : 1) } :: else -> goto L fi;
 for (i : 0 .. 1) { twice(x) }; i = run Q(r, x) }
init { atomic { run Q(r, 1); do :: x < 2 -> run Q(r, 2) :: break od } }
never { do :: x > 3 -> break :: else od; accept: do :: P@L :: len(c) == 1 od }
