/* A choice of which nothing can be done. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  do :: d_step { x > 1; if :: x == 2 -> skip :: x == 3 fi } :: x <= 1 od
}
