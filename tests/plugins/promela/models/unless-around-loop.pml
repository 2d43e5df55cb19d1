byte x; bool a, b;
active proctype P() {
  { do :: { x = 1; x = 2 } unless { b -> x = 3; x = 4 } :: x > 2 -> x = 0 od } unless { a -> x = 5; x = 6 }
}
active proctype Q() { b = 1; b = 0; b = 1; a = 1; b = 0 }
