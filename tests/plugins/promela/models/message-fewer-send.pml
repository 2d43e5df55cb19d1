/* SPDX-License-Identifier: Apache-2.0 */
/* A send of fewer values than the channel's fields is an error, wherever it is tried. */
chan c = [1] of { byte, byte };
byte x, y;
active proctype P() { c!1, 2; if :: c!3 :: c?x, y fi; do :: x < 3 -> x++ :: x == 3 -> break od; c!x }
