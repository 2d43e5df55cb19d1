byte a, b;
active proctype P() { do :: a < 5 -> a++ :: a == 5 -> b = 1; break od }
never {
  do
  :: atomic { a > 1 -> a < 4 -> assert(a != 7) }
  :: atomic { a == 5; b == 1; goto accept_x }
  :: else
  od;
accept_x: do :: b == 1 od
}
