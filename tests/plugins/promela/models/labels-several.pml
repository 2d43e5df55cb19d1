/* SPDX-License-Identifier: Apache-2.0 */
/* Labels of all kinds on one statement, and two that end a process. */
byte x;
active [2] proctype P() { do :: x < 3 -> endless: progressing: accepted: here: x++ :: x > 1 -> end_here: progress_1: accept_2: x == 9 od }
active proctype Q() { end: progress: accept: x == 7 }
