byte g;
active [2] proctype P() {
  if :: g < 9 -> skip; skip; printf("x\n"); true; g++; skip; skip :: else fi;
  skip; skip;
  do :: g > 1 -> g--; skip; skip; break :: else -> skip; printf("y\n"); skip; g++ od;
  byte i; for (i : 1 .. 2) { skip; skip; g++ }
  assert(g < 5)
}
