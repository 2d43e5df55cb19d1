/* An atomic sequence that waits for a timeout lets others go on before. */
byte x, y;
active proctype P() { atomic { y == 0; timeout && 2 } x = 1 }
active proctype Q() { do :: x < 3 -> x = x + 2 :: x > 3 -> atomic { y = 2; timeout; y = 3; timeout -> y = 4 } od }
