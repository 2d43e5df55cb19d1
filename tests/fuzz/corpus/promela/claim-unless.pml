/* A sequence of a claim that is left, when that can be done. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  do :: x == 1 -> break :: else od;
  { do :: x > 0 od } unless { x == 0 && y == 1 -> accept: do :: y == 1 :: else -> break od; accept_all: do :: true od }
}
