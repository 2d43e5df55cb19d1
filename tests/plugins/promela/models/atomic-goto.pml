/* SPDX-License-Identifier: Apache-2.0 */
byte x, y; active [2] proctype P() { L: atomic { x < 4 -> x++; if :: x == 2 -> goto L :: x == 3 -> goto M :: else -> y = x fi; y = y + 1; y < 3 }; x = 0; goto L; M: atomic { x = 1; y = 0 }; goto L }
