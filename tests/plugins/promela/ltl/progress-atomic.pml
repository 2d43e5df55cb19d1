/* Where the label stands nobody is ever seen. */
byte x;
active proctype P() { do :: atomic { x < 3 -> skip; progress: x > 0 || x == 0; x = 1 - x } od }
