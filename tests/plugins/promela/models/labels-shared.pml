/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { L: x++; if :: x < 3 -> goto L :: else fi } active proctype Q() { L: x++; if :: x < 2 -> goto L :: else fi }
