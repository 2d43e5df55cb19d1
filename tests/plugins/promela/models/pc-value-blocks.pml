/* Blocks, choices in choices, jumps at labels, and unless. */
int v; byte x;
active proctype P() {
  { x = 1; { x = 2; x = 3 } };
  if :: x == 1 :: if :: x == 3 -> x = 4 :: x == 9 fi fi;
  { x = 5; x = 6; if :: x == 6 -> x = 7 :: else fi } unless { x == 70; x = 71 };
  end: goto L; x = 8; L: do :: x < 10 -> x++; accept: break :: x == 70 od;
  progress: x = 11; for (x : 1 .. 2) { skip }; x = 12
}
active proctype Q() { do :: v != pc_value(0) -> v = pc_value(0) :: timeout -> break od }
