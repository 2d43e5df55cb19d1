/* Processes that a loop starts while there are fewer than 13, and one more, 20 deep. */
byte n;

proctype Worker()
{
    n++;
    if
    :: n < 20 -> run Worker()
    :: else
    fi;
    false
}

init { run Worker() }

ltl few { [] (n < 20) }
ltl fewer { [] (n < 12) }
ltl enough { [] (n <= 20) }
