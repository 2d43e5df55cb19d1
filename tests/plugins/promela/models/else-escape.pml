byte a, b;
active proctype P()
{
    { do :: a < 5 -> a++ :: b = 1 - b od }
    unless
    { if :: b == 1 && a == 3 -> b = 7 :: else -> a = 9 fi }
}
active proctype Q()
{
    { do :: a < 5 -> a++ :: b = 1 - b od }
    unless
    { if :: b == 1 && a == 3 -> b = 7 :: a > 3; if :: b == 1 -> a = 20 :: else -> a = 22 fi fi }
}
