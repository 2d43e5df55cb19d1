/* Only sends are named: receives are not seen. */
mtype = { a, b };
chan q = [2] of { mtype, short };
active proctype P() { q!a(-1); q!b(2); q!a(7) }
active proctype Q() { short y; do :: q?a(y) :: q?b(y) :: timeout -> break od }
trace { q!a; q!b(2); if :: q!b :: q!a,7 fi }
