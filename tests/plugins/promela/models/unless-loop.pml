byte x; bool stop;
active proctype P() {
  { do :: x < 5 -> x++ :: x > 0 -> x-- od } unless { stop -> x = 9 };
  x = 7
}
active proctype Q() { stop = true; stop = false; stop = true }
