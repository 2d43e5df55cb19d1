byte a; byte l;
active proctype P() { do :: a < 4 -> a++ od }
active proctype Q() { do :: a > 0 -> a-- :: enabled(0) && a == 4 -> l = 9  :: !enabled(0) -> l = 1 - l%2 od }
active proctype T() { do :: !enabled(0) && l == 9 -> l = 3 :: a == 3 -> atomic { l = 4; !enabled(0); l = 5 } od }
