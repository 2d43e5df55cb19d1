/* The send is an event as soon as it is tried: an error, though the receiver comes only later. */
chan q = [1] of { byte };
chan r = [0] of { byte };
active proctype P() { q!1; r!3 }
active proctype Q() { byte y; q?y; r?y }
trace { q!1; q?1; r!3 }
