chan c = [0] of { byte };
chan d = [0] of { byte };
byte got, seen;
active proctype S() { do :: c!1 :: d!1 :: else -> got = 1 od }
active proctype R()
{
    byte x;
    c?x -> seen = x; x = 0; d?x; seen = 5; x = 0
}
