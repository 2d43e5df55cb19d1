/* Channels by their value at the time: elements, and a variable that others are stored in. */
chan v[2] = [2] of { byte };
chan w;
byte x;
active proctype P() { w = v[1]; v[0]!1; w!2; x = 1; w = v[0]; v[1]!9; w!4 }
active proctype Q() { byte y; do :: v[0]?y :: v[1]?y :: timeout -> break od }
trace { v[0]!1; w!2; do :: w!4; break :: w!9 od }
