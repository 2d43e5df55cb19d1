/* Counts its rounds, which nothing reads. */
byte tally, turn;

active [2] proctype P()
{
    do
    :: turn == _pid ->
        tally++;
        turn = 1 - _pid
    od
}
