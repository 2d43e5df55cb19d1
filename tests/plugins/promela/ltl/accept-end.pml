chan q = [1] of { byte };
active proctype P() { byte x; end: accept: do :: q?x od }
active proctype Q() { q!1; q!2 }
