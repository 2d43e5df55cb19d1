byte x = 1, y;
proctype A(byte n) { y = n; x = 0 }
init { atomic { x = x + run A(x); y = (x == 2 -> run A(7) : 4); y = 1 - run A(9) } }
