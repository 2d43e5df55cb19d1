byte x;
active proctype P() { again: if :: x < 3 -> x++; accept: goto again :: x > 0 -> x-- fi; goto again }
