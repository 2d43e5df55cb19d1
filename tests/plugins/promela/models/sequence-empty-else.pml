/* SPDX-License-Identifier: Apache-2.0 */
byte x; active [2] proctype P() { if :: x == 0 -> x++ :: else fi; if :: x == 5 :: x == 1 -> skip :: else -> fi; x++ }
