/* The outer one goes first. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  { { do :: x < 3 od } unless { x >= 2 && y == 0 -> (x == 9) } } unless { x >= 2 -> accept: do :: x >= 2 :: x < 2 od }
}
