/* The trace looks at the first message and the last one, whatever "!!" and "??" choose. */
chan q = [3] of { byte };
active proctype P() { q!!2; q!!1; q!!3 }
active proctype Q() { q??3; q??1; q??2 }
trace { q!2; q!2; q!3; q?1; q?1; q?2 }
