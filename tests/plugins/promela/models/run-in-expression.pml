/* The number of the process that is started, computed with; arguments are those before. */
byte x = 5, y;
proctype A(byte n) { y = n }
init { x = x + 2 * run A(x + 1) - 1; x = -(run A(x)) + x; assert(x < 9) }
