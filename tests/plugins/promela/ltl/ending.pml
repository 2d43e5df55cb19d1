byte x;
bool done;
active proctype P()
{
    do
    :: x < 3 -> x++
    :: x > 0 -> x--
    :: x == 2 -> break
    od;
    done = true
}
active proctype Q()
{
    (x == 3);
    x = 1
}
ltl ends { <> done }
ltl stays_done { [] (done -> [] done) }
ltl after { [] (done -> x == 2 || x == 1) }
ltl later { <> [] done || [] <> !done }
ltl at_last { <> [] (x != 2) }
ltl at_last_one { [] (done -> <> [] (x == 1 || x == 2 || x == 3)) }
ltl often { [] <> (x == 3) }
ltl never_three { [] (x != 3) }
ltl first { (x == 0) U (x == 1) }
ltl first_three { (x < 3) U (x == 3) }
ltl weakly { (x < 3) W (x == 3) }
ltl implied { ([] <> (x == 3)) -> ([] <> (x == 0)) }
ltl { [] (x <= 3) && <> (x == 1) }
