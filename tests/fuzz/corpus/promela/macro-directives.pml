#define safe(id, stmt) d_step { assert(id == 1); stmt }
byte x;
active proctype P() {
    L: safe(1,
#if TWO == 2
        x = 2;
#else
        x = 3;
#endif
        x++) }
