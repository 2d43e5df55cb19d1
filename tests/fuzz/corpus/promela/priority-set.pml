byte a, b, x;
proctype L(byte k) { do :: a < 3 -> a++; set_priority(_pid, 1 + a) :: b > 1 -> b = 0; _priority = 2 :: get_priority(0) == 7 -> break od }
init priority 3 { byte p; run L(1) priority 4; run L(2); p = _priority; do :: a == 2 -> set_priority(0, 1); b = 2 :: b == 0 && a == 3 -> a = 0; set_priority(1, 5); set_priority(2, p); x = get_priority(1); x = x + get_priority(9) :: x > 3 -> set_priority(0, 7); x = 0 od }
