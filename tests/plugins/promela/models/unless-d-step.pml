byte x; bool a;
active proctype P() {
  { d_step { if :: x < 3 -> x++ :: x == 5 -> x = 6 fi; x = x + 1 }; x = 9 } unless { a -> d_step { x = 40; x = 41 }; x = 42 }
}
active proctype Q() { x = 5; a = 1; x = 2; a = 0 }
