byte n; bool s;
proctype V() { n++ }
init { byte i = 200; byte c; do :: c < 3 -> if :: s -> s = 0 :: !s -> s = 1 fi; run V(); c++; i = i + 100 :: c == 3 && i == 244 -> break od; }
