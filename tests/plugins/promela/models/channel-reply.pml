/* SPDX-License-Identifier: Apache-2.0 */
/* The channel on which to answer comes in the message; there are two clients. */
chan ask = [0] of { chan, byte }; byte sum;
active [2] proctype Client() { chan own = [1] of { byte }; byte v; ask!own, _pid + 1; own?v; sum = sum + v }
active proctype Server() { chan to; byte v; ask?to, v; to!v * 2; ask?to, v; to!v * 3 }
