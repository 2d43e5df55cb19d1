/* SPDX-License-Identifier: Apache-2.0 */
byte x, y; active [2] proctype P() { atomic { x++; d_step { y = x; y++ }; y < 9; x++ }; atomic { x = 1; d_step { x = 2; y = 3 } } }
