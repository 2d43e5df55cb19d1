/* Receives alone; two receivers. */
chan r = [0] of { byte };
active proctype P() { r!1; r!2; r!1 }
active proctype Q() { do :: r?1 :: r?2 -> break od }
active proctype R() { r?1 }
trace { r?1; do :: r?2; r?1 od }
