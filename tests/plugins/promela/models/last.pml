byte a; byte l;
active [3] proctype P()
{
    do
    :: a < 4 -> a++
    :: _last == _pid -> l = 1; a = 0
    :: _last == 2 && a == 3 -> atomic { l = 2; a = 1 }
    od
}
