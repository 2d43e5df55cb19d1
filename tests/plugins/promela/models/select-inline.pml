byte n;
inline pick(j) { select (j : 0 .. 2); n = n + j }
inline pick_twice(j) { pick(j); n = n * 2; pick(j) }
active proctype P() { byte i; select (i : 1 .. 3); pick_twice(i) }
