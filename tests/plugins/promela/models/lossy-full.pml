chan c = [1] of { byte };
byte n;
active proctype S() { byte i; do :: i < 4 -> c!i; i++ :: i == 4 -> break od }
active proctype R() { byte x; do :: c?x -> n++ :: n > 2 -> break od }
