/* The inner one is there, too. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
  { { do :: x < 3 od } unless { x == 2 -> do :: x != 1 :: x == 1 -> break od; accept_in: do :: true od } } unless { x == 7 -> skip }
}
