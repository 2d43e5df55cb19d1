byte a, b;
active proctype P() { do :: a < 5 -> a++ :: a > 0 -> a-- :: a == 3 -> b = 1 - b od }
active proctype Q() { do :: b == 1 -> b = 0 :: b == 0 && a == 5 -> b = 2; break od }
never  {    /* !([](a != 4)) */
T0_init:
	do
	:: atomic { (! ((a != 4))) -> assert(!(! ((a != 4)))) }
	:: (1) -> goto T0_init
	od;
accept_all:
	skip
}
