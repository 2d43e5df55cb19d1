chan c = [1] of { bit };
byte n;
active [2] proctype S() { do :: n < 3 -> if :: c!1 :: else -> assert(false) fi; n++ :: else -> break od }
active proctype R() { do :: c?_ :: timeout -> break od }
