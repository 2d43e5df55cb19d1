/* A file that begins with a byte order mark. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> break od }
