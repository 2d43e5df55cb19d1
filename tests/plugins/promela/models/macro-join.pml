/* '#' and '##' in macros, as C's preprocessor has them. */
#define VAR(t, n) t var_ ## n = n
#define NAME(a, b) a ## b
#define XNAME(a, b) NAME(a, b)
#define THREE(a, b, c) a ## b ## c
#define N 4
#define STEP(n) var_##n = var_##n + N; show(var_##n + N)
#define show(e) printf(#e)
#define object var ## _1
#define le < ## =
#define PROC(n) active proctype P_ ## n() { byte i ## n; do :: i##n < n -> i##n++; NAME(var, _1)++ :: else -> break od }
VAR(byte, 1); VAR(byte, 2); VAR(short, 3);
byte xN, x4, abc, ab, N1;
PROC(1) PROC(2)
active proctype Q() {
  STEP(1); STEP(3); object = object - 1;
  NAME(x, N) = 3; XNAME(x, N) = 5; THREE(a, b, c) = 1; THREE(a, , b) = 2; THREE(, ab, ) = THREE(1, 2, 3);
  NAME(N, 1) = NAME(1, 2); NAME(a,  b) = 1;
  if :: ab le 5 -> ab NAME(+, +) :: else -> ab NAME(=, ) 7 fi;
  show(  x4   -  3 )
}
