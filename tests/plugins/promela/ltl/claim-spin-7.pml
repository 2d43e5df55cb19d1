byte a, b;
active proctype P() { do :: a < 5 -> a++ :: a > 0 -> a-- :: a == 3 -> b = 1 - b od }
active proctype Q() { do :: b == 1 -> b = 0 :: b == 0 && a == 5 -> b = 2; break od }
never  {    /* !((a < 3) U (b == 1)) */
accept_init:
T0_init:
	do
	:: (! ((b == 1))) -> goto T0_init
	:: atomic { (! ((a < 3)) && ! ((b == 1))) -> assert(!(! ((a < 3)) && ! ((b == 1)))) }
	od;
accept_all:
	skip
}
