mtype = { data, ack, lost };
chan wire = [2] of { mtype, bit };
chan back = [1] of { mtype, bit };
byte sent, taken;
bit bad;
active proctype Sender()
{
    bit n;
    do
    :: wire!data(n) ->
        sent = 1 - sent;
        if
        :: back?ack(eval(n)) -> n = 1 - n
        :: back?ack(_) -> skip
        fi
    od
}
active proctype Receiver()
{
    bit got, expected;
wait:
    do
    :: wire?data(got) ->
        if
        :: got == expected -> taken = 1 - taken; expected = 1 - expected
        :: else -> bad = 1
        fi;
        back!ack(got)
    :: wire?lost(_) -> break
    od
}
ltl never_bad { [] !bad }
ltl takes { [] (sent == 1 -> <> (taken == 1)) }
ltl takes_back { [] ((sent == 1) -> <> (taken == 0)) }
ltl filled { <> (len(wire) == 2) }
ltl one_at_a_time { [] (len(wire) <= 1) }
ltl order { !(taken == 1) U (sent == 1) }
ltl order_weak { !(taken == 1) W (sent == 1) }
ltl stays { <> [] Receiver@wait }
ltl again { [] <> (len(back) == 1) && [] <> (len(back) == 0) }
ltl type { [] (wire?[data,0] -> (sent == 1 || sent == 0)) }
ltl { <> (taken == 1 && bad) }
ltl polled { [] (wire?[data,1] -> (len(wire) > 0)) }
ltl release { (len(wire) == 1) V (taken == 0) }
ltl released { (taken == 1) V (bad == 0) }
