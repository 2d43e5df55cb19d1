chan c = [1] of { byte };
active proctype S() { do :: full(c) -> c!1; break :: nfull(c) -> c!2 od; assert(c?[2] || c?[1] || empty(c)) }
active proctype R() { byte x; end: do :: c?x od }
