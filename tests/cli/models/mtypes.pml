/* Values of two sets of names, in variables, messages and structures, some of which have none. */
mtype = { ack, nak, msg };
mtype:fruit = { apple, pear };
typedef Crate { mtype:fruit kind; byte count };

chan line = [2] of { mtype, byte, mtype:fruit };
mtype last;
mtype seen[2] = nak;
Crate crate;
byte plain = 2;

active proctype Sender()
{
    mtype:fruit own = pear;
    do
    :: line!msg, plain, own
    :: line!7, 1, apple
    od
}

active proctype Taker()
{
    byte n;
    do
    :: line?last, n, crate.kind; seen[1] = last; crate.count = n; printf("%e %e\n", last, crate.kind)
    od
}

ltl early { [] (seen[1] != msg) }
