chan c = [0] of { byte };
byte got, seen;
active proctype S() { do :: d_step { got = 2; c!1 } :: c!2 od }
active proctype R()
{
    byte x;
    do
    :: c?x -> seen = x; x = 0
    od
}
