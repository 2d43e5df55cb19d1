chan c = [0] of { byte };
byte got, seen;
active proctype S() { do :: c!1 :: c!2 :: c!!3 od }
active proctype R()
{
    byte x;
    do
    :: c??2 -> got = 7
    :: c?3 -> got = 9
    :: c??x -> got = x
    od
}
