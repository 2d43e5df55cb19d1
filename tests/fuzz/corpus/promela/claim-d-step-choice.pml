/* The first that can be done is done. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  do
  :: d_step { if :: x == 3 -> assert(y < 2) :: x >= 3 -> assert(x != 3) :: x < 3 -> skip fi }
  od
}
