/* A d_step that has to wait inside is an error. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  do :: d_step { x == 2; y == 0 } :: x != 2 od
}
