/* Once an event has not fit, it is at its end. */
chan q = [1] of { byte };
active proctype P() { q!1; if :: q!3 :: q!1 fi }
active proctype Q() { byte y; q?y; q?y; end: q?y }
notrace { q!1; do :: q!2 od }
