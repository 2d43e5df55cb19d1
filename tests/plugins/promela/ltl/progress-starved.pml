/* The other one need not: so does the first for ever. */
byte x;
active proctype P() { do :: x < 2 -> x++; progress: x-- od }
active proctype Q() { do :: x == 0 -> skip :: x == 1 -> break od; end: x > 200 }
