byte x; bool a;
active proctype P() {
L: { x = 1; x = 2 } unless { a -> a = 0; x = 3; goto L };
  { if :: x == 2 -> x = 5 :: else -> x = 6 fi; x = 8 } unless a -> x = 12;
  L2: atomic { x = 30; x = 31; x = 32 } unless { a -> x = 33; a = 0; x = 34 };
}
active proctype Q() { a = 1; a = 1; a = 1 }
