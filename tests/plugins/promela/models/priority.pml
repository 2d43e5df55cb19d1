byte a, b;
active [2] proctype L() priority 2 { do :: a < 3 -> a++ :: b > 1 -> b = 0 od }
active proctype H() priority 5 { do :: a == 2 -> b++; a = 0 :: b == 3 -> b = 1 od }
active proctype M() { do :: b == 1 -> b = 2 :: a == 1 -> a = 3 :: timeout -> a = 0 od }
