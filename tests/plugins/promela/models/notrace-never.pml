/* The first event that does not fit ends it: it never comes to its end then. */
chan q = [1] of { byte };
active proctype P() { q!1; q!2; q!3 }
active proctype Q() { byte y; q?y; q?y; q?y }
notrace { q!2; q!3 }
