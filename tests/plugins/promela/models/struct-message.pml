typedef Inner { bit b; short s[2] };
typedef Msg { byte k; Inner inner; bool z };
chan c = [2] of { Msg, byte }; chan r = [0] of { Inner }; chan a = [1] of { mtype, Msg };
mtype = { ping, pong };
Msg g, h;
active proctype P() { Msg m; m.k = 3; m.inner.s[1] = 300; m.inner.b = 1; c!m, 7; m.z = 1; c!m, 8; r!m.inner; a!ping(m) }
active proctype Q() { byte x; Inner i; c?g, x; c??h, 8; r?i; assert(i.s[1] == 300); a?ping(g); assert(g.z && !g.inner.s[0]) }
