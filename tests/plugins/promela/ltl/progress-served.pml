/* Each way round passes the label. */
byte x;
active [2] proctype P() { do :: x < 2 -> x++; progress: x-- od }
