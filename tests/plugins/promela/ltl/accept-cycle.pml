byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> accept: x = 0 :: x == 2 -> break od }
active proctype Q() { byte i; do :: i < 2 -> i++ :: i == 2 -> break od; accept_q: assert(i == 2) }
