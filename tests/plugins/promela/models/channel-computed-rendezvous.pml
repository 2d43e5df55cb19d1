chan r[4] = [0] of { byte, bool };
byte got;
active [2] proctype S() { byte i = _pid; do :: i < 5 -> r[i % 4]!i, (i % 2); i = i + 3 :: else -> break od }
active [2] proctype R() { byte k; byte v; bool b; do :: r[k]?v, b -> got = v; k = (k + 1) % 4 :: r[(k+2)%4]?eval(k), b -> k = 0 :: k < 3 -> k++ od }
