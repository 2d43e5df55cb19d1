byte y = 9, x;
active [2] proctype P() provided (y != _pid) { d_step { y > 3; y = 1; x = x + 1; if :: x == 2 -> x = 7 :: else fi; x++ } y = 8 }
active proctype Q() { do :: y = 4 :: break od }
