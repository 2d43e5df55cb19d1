/* Of an array that is declared behind a statement, the first element has its value stored. */
byte x;
active proctype P() {
  x = 1;
  do
  :: x < 9 -> int b[3] = { 7 }; int c[2] = x; byte d[2]; b[1] = b[1] + 1; c[1]++; d[0] = d[1] + 3; d[1] = 8; x = x + b[0] + b[1]; b[0] = 9; x = x + c[0] + d[1]; x = x + c[1]
  :: else -> break
  od
}
