chan c = [0] of { byte };
byte got, seen;
active proctype S() { byte k = 1; do :: k < 5 -> c!k; k++ ; c!7 od }
active proctype R()
{
    byte x;
    do
    :: d_step { c?x -> seen = x; x = 0 }
    :: atomic { c?7 -> seen++; d_step { seen = seen + 2; x = 1 } }
    od
}
