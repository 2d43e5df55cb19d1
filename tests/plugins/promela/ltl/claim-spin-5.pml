byte a, b;
active proctype P() { do :: a < 5 -> a++ :: a > 0 -> a-- :: a == 3 -> b = 1 - b od }
active proctype Q() { do :: b == 1 -> b = 0 :: b == 0 && a == 5 -> b = 2; break od }
never  {    /* !(<>(b==2)) */
accept_init:
T0_init:
	do
	:: (! ((b==2))) -> goto T0_init
	od;
}
