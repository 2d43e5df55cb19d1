bool X1, R, x; chan c = [1] of { byte };
active proctype P() { L: do :: x = !x od }
ltl a { [] (x -> (!R && X(!R U (x && !R)))) }
ltl b { (x -> R -> x) V (R W x) || <> (x -> R) }
