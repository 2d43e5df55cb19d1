#define both (cs == 2)
bool turn, flag[2];
byte cs;
active [2] proctype user()
{
again:
    flag[_pid] = true;
    turn = _pid;
    (flag[1 - _pid] == false || turn == 1 - _pid);
    cs++;
crit: cs--;
    flag[_pid] = false;
    goto again
}
ltl safe { [] !both }
ltl enters { [] (user[0]@again -> <> user[0]@crit) }
ltl { always ((cs > 0) implies eventually (cs == 0)) }
ltl wrong { <> [] (cs > 1) }
ltl until { (cs == 0) U (cs == 1) }
ltl weak { (cs == 0) W (cs == 1) }
ltl rel { (cs == 1) V (cs == 0) }
ltl chain { [] (cs == 0) U (cs == 1) || false }
ltl equal { [] ((cs == 0) <-> !(cs > 0)) && <> (cs == 1) }
ltl { [] <> user[1]@crit }
ltl grouping { [] (cs == 0) -> <> (cs == 1) -> (cs == 0) }
ltl mixed { ! (cs == 1) U (cs == 1) && (cs < 2) }
ltl deep { [] (<> (cs == 1) && <> (cs == 0)) }
