/* Negative numbers fit only what is received; variables and expressions fit all. */
chan q = [2] of { short, byte };
byte x = 5;
active proctype P() { q!-1,1; q!2,2; q!-3,3 }
active proctype Q() { short s; byte b; q?s,b; q?s,b; q?s,b }
trace { byte z; q!-9; q!x,2; q!x + 1 }
