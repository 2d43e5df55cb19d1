mtype = { ask, tell };
chan home = [2] of { mtype, chan };
byte done;
proctype C(byte id) { chan a = [1] of { byte }; chan z = [0] of { mtype }; byte v; home!ask, a; a?v; assert(v == 5 || v == 6); if :: home!tell, z; z?tell :: skip fi; done++ }
active proctype H() { mtype m; chan c; do :: home?m, c -> if :: m == ask -> if :: c!5 :: c!6 fi :: else -> c!tell fi od }
init { atomic { run C(1); run C(2); run C(3) } }
