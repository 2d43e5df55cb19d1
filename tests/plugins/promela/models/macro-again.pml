/* A macro that comes to the name of another one, whose arguments stand behind it. */
#define add(a, b) a = a + b
#define name add
#define twice(m) m(x, 1); m
#define cat(a, b) a##b
#define self(a) self
#define pick() pick2
#define pick2() name
byte x, y, self;
active proctype P() { name(x, 2); twice(add)(y, 3); cat(ad, d)(x, y); pick()()(y, 1); twice(name)(x, (x > 3)); self(1) = 4; y = self + 1 }
