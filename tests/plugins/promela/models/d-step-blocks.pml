/* SPDX-License-Identifier: Apache-2.0 */
byte x; active proctype P() { x = 0; d_step { x = 1; x == 2 } }
