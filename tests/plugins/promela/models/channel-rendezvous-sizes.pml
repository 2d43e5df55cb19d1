chan c = [0] of { byte };
byte got, seen;
active proctype S() { do :: c!1 :: c!2 od }
active proctype R()
{
    byte x;
    do
    :: c?x -> got = x
    :: full(c) && seen < 7 -> seen = 7
    :: nfull(c) && seen < 6 -> seen = 6
    :: len(c) == 0 && seen == 6 -> seen = 8
    :: empty(c) && seen == 8 -> seen = 9
    :: nempty(c) -> seen = 10
    od
}
