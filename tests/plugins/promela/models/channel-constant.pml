/* SPDX-License-Identifier: Apache-2.0 */
mtype = { req, ack, nak }; chan c = [2] of { mtype, byte }; byte got; active proctype P() { do :: c!req(1) :: c!ack(2) :: c!nak, 3 od } active proctype Q() { byte v; do :: c?req(v) -> got = v :: c?ack, 2 -> got = 9 :: c?nak(eval(got)) :: c?nak(_) -> got = 3 od }
