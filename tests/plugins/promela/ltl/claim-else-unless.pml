/* Else beside an escape. */
byte x, y;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0; y = 1 - y od }
never {
 { do :: x == 1 :: else od } unless { x == 4 && y == 1; accept: do :: y == 1 :: y == 0 -> x == 2 od }
}
