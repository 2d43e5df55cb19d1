byte a, b;
active proctype L() provided (a < 3) { do :: a++ :: b == 1 -> b = 0 od }
active proctype H() priority 4 provided (b == 0) { do :: a == 2 -> b = 1; a = 0 :: a == 1 -> b = 1 od }
