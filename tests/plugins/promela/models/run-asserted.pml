/* What is asserted, or printed, may start processes. */
byte y;
proctype A(byte n) { y = y + n }
init { run A(5); byte l = 3; assert(run A(1) == 1); y = y + 1; printf("%d %d\n", 3, y > 0 && run A(2)); atomic { y = 2; printf("%d\n", run A(3)) }; assert(y > 20 || run A(4) > 3) }
