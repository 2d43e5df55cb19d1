/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { goto L; x = 1; L: goto M; x = 2; M: x = 3 }
