chan q = [2] of { byte };
byte x;
active proctype P() { x = 3; q!3; x = 4; q!4 }
active proctype Q() { q?3; q?4 }
trace { q?eval(x); q?4 }
