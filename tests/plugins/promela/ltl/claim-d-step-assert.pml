/* An assertion in a d_step. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  do :: d_step { x < 3; assert(x != 2 || y == 0) } :: x >= 3 od
}
