chan c = [0] of { byte, byte }; byte x = 1, y = 2; byte a[3];
active proctype P() { c!y, y; c!x + 1, x; c!x, y }
active proctype Q() { c?x, y; c?a[1], x; c?a[y & 1], x }
