byte y;
proctype A(byte n) { y = y + n }
init { if :: (run A(1)) -> y = y + 1 :: ((run A(2))) -> y = y + 3 fi; y = (run A(3)) }
