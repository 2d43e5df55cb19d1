#define pick(a, b, c, name, ...) name
#define sum(...) pick(__VA_ARGS__, three, two)(__VA_ARGS__)
#define three(a, b, c) (a + b + c)
#define two(a, b) (a * b)
#define none(...)
byte x;
active proctype P() { L: x = sum(1, 2, 3); none(1, 2) x = sum(4, TWO); x = SUM(x, 1) }
