/* The second message may overtake the first one's reception. */
chan q = [2] of { byte };
active proctype P() { q!1; q!2 }
active proctype Q() { byte y; q?y; q?y }
trace { do :: q!_; q?_ od }
