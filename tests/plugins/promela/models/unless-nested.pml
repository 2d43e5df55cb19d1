byte x; bool a, b;
active proctype P() {
  { { x = 1; x = 2; x = 3 } unless { a -> x = 10; x = 11; x = 12 } } unless { b -> x = 20; x = 21 };
  x = 99
}
active proctype Q() { a = 1; b = 1; a = 0; b = 0 }
