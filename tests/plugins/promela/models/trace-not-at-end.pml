/* Where a process stays, the trace has to be at its end, too. */
chan q = [2] of { byte };
active proctype P() { q!1; q!2 }
active proctype Q() { byte y; q?y; q?y; end: y > 5 }
trace { q!1; q!2; q!3 }
