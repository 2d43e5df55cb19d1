#define ALL 4294967295
int x; byte b;
active proctype P()
{
  x = ALL; assert(x == -1);
  x = 3735928559; assert(x == -559038737);
  b = ALL; assert(b == 255);
  x = 2147483648 - 1; assert(x == 2147483647)
}
ltl _ { [] (x <= 2147483647) }
