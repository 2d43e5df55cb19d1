byte n = 1;
proctype W(byte k) { n == k -> n++ }
init { byte i; atomic { for (i : 1 .. 30) { run W(i) } } }
