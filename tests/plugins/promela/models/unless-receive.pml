chan c = [0] of { byte }; byte x;
active proctype P() { c!1; c!2 }
active proctype R() { byte z; { z = 1; z = 2; c?z; z = 4 } unless { c?z -> z = 17 } ; z = 100; c?z }
active proctype R2() { byte z; { z = 1; z = 2 } unless { c?z -> z = 17 }  }
