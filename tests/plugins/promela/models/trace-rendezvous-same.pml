/* What is sent is received into the variable that it came from. */
chan r = [0] of { byte };
byte x;
active proctype P() { x = 3; r!x + 1; x = 5; r!x }
active proctype Q() { r?x; r?x }
trace { r!4; r?4; r!5; r?5 }
