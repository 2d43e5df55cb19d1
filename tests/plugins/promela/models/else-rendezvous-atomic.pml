chan c = [0] of { byte };
byte got, seen;
active proctype S() { do :: atomic { if :: c!1 :: else -> got = 1 fi; got++ ; got = got % 3 } od }
active proctype R()
{
    byte x;
    do
    :: atomic { c?x -> if :: c!3 :: c?x :: else -> seen = x; fi; x = 0 }
    :: seen = 0
    od
}
active proctype T() { byte y; do :: c?y -> seen = y od }
