typedef Row { byte c[3] }; typedef Cube { Row r[2]; bit z }
Row m[2]; Cube q[2]; byte i, j, sum;
active proctype P() { Row l[2];
  for (i : 0 .. 1) { for (j : 0 .. 2) { m[i].c[j] = i * 3 + j; q[j % 2].r[i].c[j] = sum } };
  l[1].c[2] = 9; m[0].c[1] = l[1].c[2]; sum = m[1].c[2] + m[0].c[1]; q[1].z = 1;
  assert(sum == 14 && q[1].r[1].c[1] == 0 && l[0].c[2] == 0)
}
active proctype Q() { q[0].r[1].c[i] = 5; m[1].c[0] = q[0].r[1].c[i] }
