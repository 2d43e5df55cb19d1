/* SPDX-License-Identifier: Apache-2.0 */
/* Polls as parts of conditions, of the first message and of any. */
chan c = [2] of { byte, bit }; byte x;
active proctype P() { c!3, 1; c!2, 0 }
active proctype Q() { byte v; if :: c??[2, 0] && !c?[2, _] -> x = 1 :: c?[eval(v + 3), v] -> x = 2 :: c?[3, 1] -> x = 3 fi; c??2, 0;
    x = x + len(c) }
