chan c = [1] of { byte };
byte n;
active proctype S() { { c!1; c!2; c!3; n = 4 } unless { c?3 -> n = 7 } }
active proctype R() { byte x; do :: c?x -> assert(x != 3) :: n == 4 -> break :: n == 7 -> break od }
