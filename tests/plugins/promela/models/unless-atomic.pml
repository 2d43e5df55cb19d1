byte x; bool a;
active proctype P() {
  atomic { x = 1; x = 2; x = 3; x = 4 } unless { a -> x = 10; x = 11 };
  { d_step { x == 11 -> x = 12; x = 13 }; x = 14 } unless atomic { !a -> x = 20; x = 21; x > 40 -> x = 22 };
  x = 50
}
active proctype Q() { a = 1; x = 11; a = 0; x = 41; x = 11 }
