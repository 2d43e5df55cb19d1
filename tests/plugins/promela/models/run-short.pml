/* Where a `run` may not be come to: SPIN's verifier crashes where one is not. */
byte x, y, z;
proctype A(byte n) { y = y + n }
active proctype P() {
  do
  :: x < 3 -> x = x + 1; z = (x > 0 -> run A(x) : 9); z = x != 4 && run A(10); z = x == 4 || run A(20)
  :: else -> break
  od
}
