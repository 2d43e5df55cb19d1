/* What is polled may be a rendezvous, but is none when it is asked. */
chan r = [0] of { byte };
chan b = [1] of { byte };
byte x;
active proctype P()
{
	chan c = b;
	do
	:: c?[1] -> c?x
	:: c == b && len(b) == 0 -> c!1
	:: c == b && x == 1 -> c = r; c!2; c = b; x = 0
	od
}
active proctype Q() { byte y; do :: r?y od }
