chan q = [2] of { byte };
active proctype P() { q!1; q!2 }
active proctype Q() { byte y; q?y; q?y }
trace { q!1; q!2; end: do :: q!3 od }
