chan c = [0] of { byte };
byte got, seen;
active proctype S() { do :: c!1 :: else -> got = 1 od }
active proctype R()
{
    byte x;
    do
    :: c?x -> seen = x
    :: seen = 4
    od
}
