/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run ends within an atomic sequence, at a label; and at one at a d_step. */
byte x; chan c = [1] of { byte };
active proctype P() { atomic { x++; end_a: c?1; x++ } }
active proctype Q() { if :: c!1 :: x = 5 fi; end_d: d_step { x == 4; x = 6 } }
