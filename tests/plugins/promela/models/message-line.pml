/* SPDX-License-Identifier: Apache-2.0 */
/* A parenthesis that begins a line begins a statement, and is no part of the message before. */
chan c = [2] of { byte, byte }; chan d = [1] of { byte };
byte x, y;
active proctype P() {
    d ! x
    (x == 0) -> x = 1
    d ? x
    (x == 0) -> y = 1
    c ! 1,
        2
    c ! 2, 3
    c ? x (
        y)
    if
    :: c ? x, y
       (x == 2) -> x = 7
    fi
}
