byte y;
proctype A(byte n) { y = y + n }
init { y = 1; assert(run A(1) != 1) }
