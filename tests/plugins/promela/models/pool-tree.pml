/* Each process starts two more, up to a number that is known at run time only. */
byte running = 0, most = 2, finished = 0;

proctype node(byte depth; chan up)
{
  chan down = [2] of { byte };
  byte got = 0, k = 0, x;
  running++;
  if
  :: depth > 0 && running < most ->
     do
     :: k < 2 -> run node(depth - 1, down); k++
     :: else -> break
     od;
     down ? x; got = got + x; down ? x; got = got + x
  :: else -> got = 1
  fi;
  running--;
  up ! got
}

init
{
  chan top = [1] of { byte };
  byte v;
  do
  :: run node(2, top); top ? v; (_nr_pr == 1); assert(v <= 4); finished = 1
  od
}
