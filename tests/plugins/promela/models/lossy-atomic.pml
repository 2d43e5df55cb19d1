chan c = [2] of { byte };
active [2] proctype S() { atomic { c!_pid; c!_pid; c!_pid } c!9 }
active proctype R() { byte x; end: do :: c?x od }
