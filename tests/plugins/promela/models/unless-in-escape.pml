byte x; bool a, b;
active proctype P() {
  { { x = 1; x = 2; { x = 3; x = 4 } unless { a -> x = 10; { x = 13; x = 14 } unless { b -> x = 15 } } } unless { b -> x = 11; x = 12 } } unless { a && b -> x = 20 }
}
active proctype Q() { a = 1; b = 1; a = 0; b = 0; b = 1 }
active proctype R() { do :: b = 1 - b :: a = 1 - a :: x > 12 -> break od }
