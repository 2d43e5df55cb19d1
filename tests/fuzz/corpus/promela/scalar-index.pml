byte x; typedef T { byte f }; T s; chan c = [1] of { byte };
active proctype P() { byte l; L: x[0] = 4; s[0].f[0] = x; c[0]!x[0]; c?l[0]; assert(s.f == l) }
ltl f { [] (P:l[0] <= 4) }
