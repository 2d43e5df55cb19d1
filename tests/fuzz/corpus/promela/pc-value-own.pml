/* Of itself, in sequences that nobody else sees, and of processes that are gone. */
int v, w, u; byte z;
proctype A(byte n) { z = n; z = 4 }
active proctype P() {
  w = pc_value(0); atomic { w = pc_value(_pid); v = pc_value(_pid); skip; v = pc_value(_pid) + w };
  d_step { w = pc_value(_pid); u = 3; v = pc_value(_pid) };
  run A(1); w = pc_value(1); w = pc_value(1); (_nr_pr == 1); w = pc_value(1); w = pc_value(7); w = pc_value(0)
}
