byte x; bool a;
active proctype P() {
  { do :: x == 0 -> x = 1 :: x == 1 -> goto out :: x == 2 -> break od; x = 4 } unless { a -> goto out };
  x = 3;
out: x = 8
}
active [2] proctype Q() { a = 1; x = 2; a = 0 }
