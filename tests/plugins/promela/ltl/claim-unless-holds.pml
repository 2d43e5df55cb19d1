/* What is left for another sequence is ruled out where that can be done. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  do :: x == 1 -> break :: else od;
  { accept: do :: x > 0 :: x == 0 -> x == 9 od } unless { x == 3 -> (false) }
}
