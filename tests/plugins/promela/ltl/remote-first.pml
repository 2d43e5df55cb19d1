byte n;
proctype P(byte k) { a: n = k; b: n > 1; c: n = 0 }
init { run P(1); run P(2); run P(3); (_nr_pr == 1) -> run P(2) }
ltl at_b { [] (P@b -> n > 0) }
ltl first { [] (P@c -> P[1]@c) }
ltl never_c { [] ! P@c }
ltl second { [] (P[2]@b -> P@b) }
ltl again { <> [] ! P@a }
