/* Statements of both processes of P are one; what goes on at once from what is never done is not listed. */
byte x;
active [2] proctype P(byte k)
{
	do
	:: x < 2 -> x++
	:: x > 1 && _pid == 0 -> x = 0
	:: x == 9 -> atomic { x = 3; x = 4; x > 5 }
	od
}
