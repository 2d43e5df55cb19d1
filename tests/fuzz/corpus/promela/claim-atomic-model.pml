/* A claim, with assertions of its own, over a model with atomic sequences: it does not see x == 1. */
byte x, y;
active proctype P() { do :: atomic { x = 1; y < 3 -> y++; x = 0 } :: atomic { y == 3; y = 0; x = 2; if :: y < 9 :: y == 0 fi } od }
never
{
	do
	:: atomic { x == 1 -> assert(false) }
	:: atomic { x == 2 && y == 0; if :: y == 1 -> assert(y == 0) :: else -> goto accept_more fi }
	:: else
	od;
accept_more:
	do
	:: x == 2
	:: x == 1 -> break
	:: x == 0 -> goto accept_more
	od
}
