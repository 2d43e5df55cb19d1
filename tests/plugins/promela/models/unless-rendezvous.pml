chan c = [0] of { byte }; byte x; bool s;
active proctype P() { { x = 1; c!3; x = 2 } unless { s -> x = 5 }; x = 6 }
active proctype Q() { byte y; if :: c?y :: c?y; y = 8 fi; s = 1; c?y }
active proctype R() { byte z; { c?z; z = 4 } unless { s -> z = 17 } ; z = 1 }
