/* Texts of every kind, on the way to a cycle. */
mtype = { one, two };
mtype m = two;
byte n = 3;

proctype Other(byte k) { printf("%d of %d\n", k, _pid) }

active proctype P()
{
    byte l = 5;
    short s = -2;
    printf("l is %d", l);
    printf(", m %e\nand 100%% of \"n\": %u\t%x %o %c\n", m, n, n + 12, n + 5, n + 62);
    printm(one);
    atomic { n = 7; printf("%d\n", n); n++; printf("%d\n", n) }
    d_step { l = 0; do :: l < 2 -> printf("step %d\n", l); l++ :: else -> break od }
    printf("started %d, %d left over\n", run Other(l), s);
    do
    :: printf("round\n")
    od
}

ltl small { [] (n < 8) }
