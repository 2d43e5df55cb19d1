#define N 2
byte a[N*N + 1]; chan c[N - 1] = [(N + 1) / 2] of { byte }; unsigned u : 3 = 7; byte i;
active [N*1] proctype P() { byte b[-N + 4]; c[0]!_pid; a[N*N] = u; b[1] = a[4]; c[0]?i; assert(b[1] == 7) }
