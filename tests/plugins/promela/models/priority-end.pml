byte a;
proctype C(byte k) { a = a + k }
init { run C(1) priority 3; run C(2) priority 2; run C(4); a++; a++ }
