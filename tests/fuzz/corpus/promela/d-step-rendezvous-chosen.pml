chan c = [0] of { byte };
byte seen;
active proctype S() { byte k = 1; do :: d_step { k < 5 -> k++; if :: k == 6 -> c!k :: else fi } :: c!k od }
active proctype R() { byte x; do :: c?x -> seen = x od }
