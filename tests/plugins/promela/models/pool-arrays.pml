/* Processes that come and go: arrays, a structure, channels of their own, an initial value that
 * reads a parameter, and a message between two of them. */
typedef pair { byte a; byte b }
typedef rows { byte a; byte b[2] }
chan out = [1] of { byte, chan };
byte alive = 0, sum = 0;

proctype worker(byte id; pair p)
{
  byte box[3];
  byte twice = id + id;
  chan mine[2] = [1] of { byte };
  rows own;
  alive++;
  box[id % 3] = p.b + twice;
  own.b[1] = box[id % 3];
  mine[id % 2] ! own.b[1];
  out ! id, mine[id % 2];
  sum = (sum + p.a) % 3;
  alive--
}

init
{
  byte i = 0, id, v;
  pair p;
  chan c;
  p.a = 1;
  do
  :: i < 2 && _nr_pr < 3 -> p.b = i; run worker(i, p); i++
  :: nempty(out) -> out ? id, c; c ? v; assert(v == id + 2 * id || v != 7); i = (i > 1 -> 0 : i)
  od
}
