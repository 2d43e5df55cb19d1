chan c = [0] of { byte };
byte seen;
active proctype S() { byte k = 1; do :: k < 5 -> c!k; k++ od }
active proctype R()
{
    byte x;
    do
    :: d_step { seen < 3 -> seen++; c?x }
    od
}
