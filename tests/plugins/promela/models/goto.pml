/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { L: if :: x < 3 -> x++; goto L :: x > 1 -> goto M :: goto N fi; x = 9; M: x--; goto L; N: skip }
