byte x; chan q = [2] of { byte };
active proctype P() { byte y;
  { do :: q?y -> x = y od } unless { timeout -> x = 77 };
  x = 78
}
active proctype Q() { q!1; q!2; q!3 }
