/* Two fields change hands between processes of one pool; numbers and remote references. */
chan r = [0] of { byte, byte };
byte n = 0, last = 0, seen = 0;

proctype peer(bit sends)
{
  byte x = _pid, y = n;
  n++;
  if
  :: sends -> r ! y, x
  :: else -> r ? x, y; last = x
  fi;
stop:  n--
}

init
{
  pid p;
  do
  :: n == 0 && _nr_pr == 1 -> atomic { p = run peer(1); seen = peer[p]:sends; run peer(0) }
  :: _nr_pr == 3 -> seen = (peer[p]@stop -> 1 : 0)
  od
}
