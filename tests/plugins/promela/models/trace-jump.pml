/* A jump that the trace stands at goes with any event, as in SPIN. */
chan q = [3] of { byte };
active proctype P() { q!7; q!1; q!2 }
trace { do :: break od; q!1; q!2 }
