/* SPDX-License-Identifier: Apache-2.0 */
/* An escape that is a d_step or an atomic sequence that blocks behind its first statement. */
byte x, y; chan c = [1] of { byte };
active proctype P() { { x++; x++; x++ } unless d_step { y == 1; y = 2; x = 7 } { c!1; c!2 } unless atomic { x == 7 -> y++; c?_; y++ } }
active proctype Q() { if :: y = 1 :: x > 1 -> y = 3 fi; c?_ }
