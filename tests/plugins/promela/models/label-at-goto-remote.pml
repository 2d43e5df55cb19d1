byte x;
active proctype P() { do :: x < 2 -> x++; here: goto there :: x == 2 -> x = 0; there: skip od }
active proctype Q() { do :: P@here -> x = 2 :: P@there -> x = 1 od }
