chan q = [1] of { byte };
active proctype P() { q!1 }
active proctype Q() { byte y; q?y; end: q?y }
notrace { q!1; q!2 }
