/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is not provided for does not count when it is asked whether all are blocked. */
byte x, n;
active proctype P() provided (x > 0) { n++; n++; x = 0; n++ }
active proctype Q() { timeout -> x = 1; timeout -> x = 2 }
