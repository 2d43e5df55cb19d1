byte n;
active [3] proctype P() { { _pid == 1 -> n++; n++ } unless { n > 0 -> n = n + 2 } }
