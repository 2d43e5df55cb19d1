chan c = [0] of { byte };
chan b = [1] of { byte };
byte got, seen;
active proctype S() { do :: c!1 :: b!2 :: else -> got = 1 od }
active proctype R()
{
    byte x;
    do
    :: c?x -> seen = x
    :: else -> seen = 3; if :: b?x :: else -> got = 3 fi
    od
}
