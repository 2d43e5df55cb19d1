chan q = [2] of { short, byte };
active proctype P() { q!-1,1; q!2,2; q!-3,3 }
active proctype Q() { short s; byte b; q?s,b; q?s,b; q?s,b }
trace { q?-1; q?_,2; q?-4 }
