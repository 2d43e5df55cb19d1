byte n;
proctype V() { n++ }
proctype W(byte k) { byte j; do :: j < k -> j++; run V() :: j >= 2 -> break od; }
init { byte i; select(i : 1 .. 2); run W(i); run W(2) }
