/* A trace that holds: sends and receives of one channel in turn, the other channel is not seen. */
mtype = { ask, answer };
chan q = [2] of { mtype, byte };
chan r = [1] of { byte };
byte x;
active proctype P() { byte i; do :: i < 3 -> q!ask(i); r?x; i++ :: else -> break od }
active proctype Q() { byte y; do :: q?ask(y) -> r!y :: timeout -> break od }
trace {
end:
  do
  :: q!ask,_; q?ask,_
  od
}
