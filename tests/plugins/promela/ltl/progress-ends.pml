/* All come to their end: no cycle is without progress. */
byte x;
active [2] proctype P() { progress: x++; x > 0 }
