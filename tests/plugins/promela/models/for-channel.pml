typedef M { byte k; bool b };
chan c = [3] of { M }; chan d[2] = [2] of { M }; byte sum;
active proctype P() { M m; M x;
  m.k = 1; c!m; m.k = 2; m.b = 1; c!m; d[1]!m;
  for (x in c) { sum = sum + x.k };
  for (m in c) { if :: m.b -> sum++ :: else fi };
  if :: sum > 0 -> for (x in c) { sum-- } fi;
  assert(len(c) == 2)
}
active proctype Q() { M y; c?y; c!y }
