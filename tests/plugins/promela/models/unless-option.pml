byte x; bool a;
active proctype P() {
  do :: { x = 1; x = 2 } unless { a -> x = 3; x = 4 } :: x > 2 -> x = 0 :: x == 7 -> break od
}
active proctype Q() { a = 1; a = 0; x = 7; a = 1; a = 0 }
