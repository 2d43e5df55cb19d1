/* Events in atomic sequences and d_steps; a sequence that escapes, in the trace. */
chan q = [3] of { byte };
byte x;
active proctype P() { atomic { q!1; x = 2; q!2 }; d_step { q!3; q?1; x = 4 }; q?2; q?3 }
trace { q!1; q!2 unless q!5; q!3; q?1; do :: q?_ :: q!4 od }
