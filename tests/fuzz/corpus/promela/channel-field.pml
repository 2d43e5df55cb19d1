/* channels that are fields: of a structure, of an array of them, of a process; one that is stored to */
typedef Port { chan buf = [1] of { byte }; byte seen };
typedef Pair { Port a; chan meet[2] = [0] of { byte }; chan other };
Port ports[2];
Pair pair;
byte got;
proctype P(byte k)
{
    Port mine;
    byte x;
    mine.buf!k;
    ports[k].buf!k + 1;
    mine.buf?x;
    ports[1 - k].buf?mine.seen;
    if
    :: k == 0 -> pair.meet[1]!x + 5; pair.other!x
    :: k == 1 -> pair.meet[1]?got
    fi;
    ports[k].seen = mine.seen + x
}
init
{
    byte y;
    pair.other = pair.a.buf;
    run P(0);
    run P(1);
    pair.a.buf?y;
    got = got + y;
    len(pair.other) == 0 && empty(ports[1].buf)
}
