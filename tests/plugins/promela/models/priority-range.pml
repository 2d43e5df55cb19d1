byte a;
active proctype C() { a = 0; do :: a < 2 -> set_priority(0, 254 + a); a++ od }
