byte done;
proctype P(byte k) { done = done + k; done = done - k }
init { byte i = 0; atomic { do :: i < 3 -> run P(i); i++ :: else -> break od }; i = 0;
  do :: i < 2 -> i = i + 1; run P(7) :: i == 2 -> break od }
