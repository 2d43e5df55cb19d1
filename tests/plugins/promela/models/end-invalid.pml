/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { x++; x == 2; x = 3; x == 4 }
