/* Where processes are, by the numbers of SPIN. */
byte x; int v, w;
active proctype Q() { byte i; A: do :: i < 2 -> i++; if :: i == 1 -> skip :: else fi; { x = x + 1; x = 2 } :: atomic { i == 2 -> x = 7; x = 8 }; d_step { x = 1; x = 2 }; break od; x = 3 unless x == 100; goto L; x = 4; L: x = 5; end: x == 9 }
active proctype P() { do :: v != pc_value(0) -> v = pc_value(0); if :: v == 0 :: v > 0 fi  :: timeout -> w = pc_value(1); w = pc_value(_pid); break od }
