/* A d_step of a claim is one step, in one state of the model. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  do
  :: d_step { x == 2; y == 1 -> skip }; break
  :: x != 2 || y == 0
  od;
accept: do :: d_step { x >= 0; if :: x == 1 :: x < 9 -> skip :: else -> (y == 3) fi } od
}
