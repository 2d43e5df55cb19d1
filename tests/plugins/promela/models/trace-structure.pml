typedef T { byte a; byte b };
chan q = [1] of { T };
T t;
active proctype P() { t.a = 1; q!t; t.b = 2; q!t }
active proctype Q() { T u; q?u; q?u }
trace { q!1,0; q?1,_; q!1,2 }
