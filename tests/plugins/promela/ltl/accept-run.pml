byte n;
proctype W() { n++; accept: n--; }
init { do :: n < 2 -> run W() od }
