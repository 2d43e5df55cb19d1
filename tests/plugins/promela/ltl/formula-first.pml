/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas before what they speak of; semicolons behind them. */
ltl later { [] (x < 4 && m != stop); }
ltl at_end { <> (P@done) ;; }
ltl { [] (c?[2] -> <> (x == 2)) };
ltl lines {
	[]
	<> !
	(m == go) || x
	> 1;
}

mtype = { go, stop, };
mtype m = go;
byte x;
chan c = [1] of { byte };

active proctype P() { c!2; x++; m = go; done: x = 2 }
active proctype Q() { do :: c?x :: x > 2 -> x = 0 :: x < 3 -> x++ od }
