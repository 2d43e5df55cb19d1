chan c = [1] of { byte };
byte n;
active proctype S() { do :: n < 5 -> d_step { c!n; n++; c!n } :: else -> break od }
active proctype R() { byte x; end: do :: c?x -> assert(x != 5) od }
