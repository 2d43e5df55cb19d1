/* SPDX-License-Identifier: Apache-2.0 */
/* The condition may use the process's number, and hold it back in the middle of an atomic sequence. */
byte turn, n;
active [3] proctype P() provided (turn == _pid || n > 3) { atomic { n++; turn = (turn + 1) % 3; n++ } n-- }
