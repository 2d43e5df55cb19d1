byte g;
init { run B(); g++ }
active proctype A() { g = g + 2 * _pid; (false) }
active proctype B() { g = g + 4 * _pid; assert(g < 9) }
