/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { atomic { x++; atomic { x++; x < 5 }; x++; { x = x + 1; x < 9 } }; x = 0 }
