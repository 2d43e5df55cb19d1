byte a[3] = { 1, 2, 3 };
typedef T { byte x = 3; short y[2] = 7; chan c = [2] of { byte } };
T t; T u[2];
active proctype P() { byte b[4] = {5, 6}; t.c!a[1]; u[1].c!b[1]; u[0].c!t.y[1]; t.x = u[0].x + b[3] + b[0];  t.c?u[1].x; assert(t.x == 8 || t.x == 14) }
