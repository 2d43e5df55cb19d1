#define N 4
chan q[N] = [2] of { byte };
byte leaders;
proctype node(chan inp, out; byte me) { xr inp; xs out; byte nr; out!me; do :: inp?nr -> if :: nr > me -> out!nr :: nr < me -> skip :: else -> leaders++; assert(leaders == 1); break fi od }
init { byte i; atomic { do :: i < N -> run node(q[i], q[(i+1)%N], (i*3)%N+1); i++ :: else -> break od } }
