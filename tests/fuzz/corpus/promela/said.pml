#ifdef DEFINED
#warning it isn't an error
#else
#error it is
#endif
#if defined(TWO) && TWO == 2
byte x;
#endif
#include <no-file.h>
active proctype P() { L: x = TWO }
