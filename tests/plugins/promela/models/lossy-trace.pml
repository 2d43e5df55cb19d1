mtype = { a, b };
chan c = [1] of { mtype };
trace { do :: c!a; c!b od }
active proctype S() { c!a; c!b; c!b; c!a }
active proctype R() { end: do :: c?_ od }
