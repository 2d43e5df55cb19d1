byte a, l;
proctype P(byte k) { a = a + k; l = _last; atomic { a = 9; l = l + _last } }
init { run P(1); run P(2); a = _last; (_nr_pr == 1) -> l = _last }
