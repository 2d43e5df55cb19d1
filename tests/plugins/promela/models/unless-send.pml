chan c = [0] of { byte, bit }; chan d = [0] of { byte, bit }; byte x;
active proctype P() { { c!1, 0; c!2, 1 } unless { d!3, 1 -> x = 5 }; x = 6 }
active proctype Q() { byte y; bit b; do :: c?y, b :: d?eval(x), b :: d?3, 1 -> x = 9; break od }
