byte x, y;
active proctype P() {
a:  x = 1;
    if :: y == 0 -> progress: goto b :: y == 1 -> endthere: goto c :: y == 2 -> plain: goto b fi;
b:  do :: x < 3 -> x++ :: x == 3 -> accept1: break :: y == 2 -> seen: goto c od;
c:  y != 1
}
active proctype Q() { y = 1; P@seen -> y = 2; y = 0 }
