/* What lies within atomic sequences and d_steps no formula sees. */
byte x, y, z;
chan c = [1] of { byte };
chan r = [0] of { byte };

active proctype P()
{
	do
	:: atomic { x = 1; if :: y > 0 -> z = 1 :: y == 0 -> z = 2 fi; x = 0 }
	:: atomic { y < 2 -> y++; c!y; z = 3; y > 1 -> z = 0 }
	:: d_step { z = 7; do :: z > 0 -> z-- :: else -> break od }
	od
}

active proctype Q()
{
	byte k;
	do
	:: atomic { c?k -> x = 2; r!k; x = 3; (k > 0); x = 4; k = 0; x = 0 }
	:: atomic { y > 0 -> x = 5; y = 0; (z < 9); x = 0 }
	od
}

active proctype R()
{
	byte k;
	do :: r?k -> skip; k = 0 od
}

ltl never_one { [] (x != 1) }
ltl never_two { [] (x != 2) }
ltl never_three { [] (x != 3) }
ltl never_four { [] (x != 4) }
ltl never_five { [] (x != 5) }
ltl never_z3 { [] (z != 3) }
ltl never_z7 { [] (z < 7) }
ltl some_z2 { <> (z == 2) }
ltl again { [] <> (x == 0) }
ltl at_last { <> [] (x != 5) }
ltl stays { <> [] (x == 2) }
ltl back { [] (x == 2 -> <> (x == 0)) }
ltl until_z { (x == 0) U (z > 0) }
ltl weak_z { (x == 0) W (z == 1) }
ltl release_z { (z == 1) V (x != 5) }
ltl order { [] ((y == 1) -> ((y == 1) U (y != 1))) }
