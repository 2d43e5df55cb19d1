/* SPDX-License-Identifier: Apache-2.0 */
/* Only a receiver whose constants fit takes part; two of them are a choice. */
mtype = { ack, nak }; chan r = [0] of { mtype, byte }; byte x, y;
active proctype P() { do :: r!ack, x -> x = (x + 1) % 3 :: r!nak, 1 -> break :: x == 2 -> break od }
active proctype Q() { do :: r?ack, eval(y) -> y = (y + 1) % 3 :: r?nak, _ -> break od }
active proctype R() { byte v; r?ack, v; y = v }
