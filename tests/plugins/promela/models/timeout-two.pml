/* SPDX-License-Identifier: Apache-2.0 */
/* Two wait for a timeout, as part of an expression and as an option beside another. */
byte x; chan c = [1] of { byte };
active proctype P() { do :: timeout && x < 2 -> x++ :: c?_ -> break od }
active proctype Q() { if :: x == 2 && timeout -> c!1 :: x > 3 -> skip fi }
