chan c = [0] of { byte };
chan d = [1] of { byte };
active proctype S() { c!1; d!1; d!2; c!2 }
active proctype R() { byte x; c?x; if :: d?x :: true fi; c?x; end: d?x; false }
