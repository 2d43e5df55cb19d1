byte a, b;
active proctype L() { do :: atomic { a < 3 -> a++; b = a; a = a + 1; b = 7 } :: d_step { a > 2 -> a = 0; b = 9; b = 1; a = 1 } od }
active proctype H() priority 9 { do :: a == 2 -> b = 5; a = 3 :: atomic { b == 9 -> b = 3; a = 0; b = 4 } :: a == 4 -> a = 0 od }
