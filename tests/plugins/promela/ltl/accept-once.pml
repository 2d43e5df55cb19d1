byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od; accept: x = 0 }
active proctype Q() { do :: x == 2 -> x = 1 :: x == 0 -> break od }
