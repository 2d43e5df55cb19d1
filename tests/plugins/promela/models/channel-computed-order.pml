chan q[3] = [3] of { byte, byte };
byte x;
active proctype S() { byte i, n; do :: n < 4 -> i = (i * 2 + n) % 3; if :: q[i]!!(7 - n), n :: q[i]!n, 1 fi; n++ :: else -> break od }
active proctype R() { byte k, v, w; do :: q[k]??v, 1 -> x = v :: q[k]?v, w -> k = (k + v) % 3 :: q[k]?<v, _> -> k = (k + 1) % 3 :: nempty(q[k]) && q[k]??[3, w] -> q[k]??3, w :: len(q[k]) == 3 -> x = 9; k = 0 :: full(q[(k + 1) % 3]) -> k++; k = k % 3 od }
