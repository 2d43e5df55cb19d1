/* What shall not be is there on one run. */
chan q = [1] of { byte };
active proctype P() { if :: q!1 :: q!2 fi; q!3 }
active proctype Q() { byte y; q?y; q?y }
notrace { q!2; q?_; q!3 }
