/* SPDX-License-Identifier: Apache-2.0 */
/* Tests look at the fields that they name; those that a channel has not are 0. */
chan c = [2] of { byte, byte }; chan d = [1] of { byte };
byte x, y;
active proctype P() { c!1, 2; c!3, 4; d!5; if :: c?[1] -> x = 1 :: c?[2] -> x = 2 :: c??[3] -> x = 3 fi; if :: d?[5, 0] -> y = 1 :: d?[5, 1] -> y = 2
    :: d?[5, y, x] -> y = 3 :: d?[4] -> y = 4 fi; if :: c??[2] -> x = 5 :: c??[4] -> x = 6 :: !(c??[4]) && x -> y = 7 fi;
    y = 0; chan v = c; if :: v?[1] -> x = 1 :: v?[0] -> x = 2 fi; v = d; if :: v?[5] -> y = 1 :: v?[5, 0] -> y = 2 :: v?[5, 2] -> y = 3 fi }
