/* Both halves of a rendezvous are events; some are sent when nobody receives them yet. */
chan r = [0] of { byte, bool };
byte x;
active proctype P() { r!3,true; x = 1; r!4,false }
active proctype Q() { byte y; bool b; x = 2; r?y,b; x = 3; r?4,b }
trace { r!3,true; r?3,_; r!4,0; r?4,false }
