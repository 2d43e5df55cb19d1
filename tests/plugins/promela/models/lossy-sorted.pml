chan c = [2] of { byte, bit };
active proctype S() { c!!3,1; c!!1,0; c!!2,1; c!!0,0 }
active proctype R() { byte x; bit y; do :: c?x,y :: c??1,y od }
