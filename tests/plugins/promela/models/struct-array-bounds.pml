typedef Row { byte c[3] }
Row m[2]; byte i;
active proctype P() { do :: i < 6 -> m[0].c[i] = 1; i++ :: else -> break od }
