/* SPDX-License-Identifier: Apache-2.0 */
/* Where others are, and what they hold, with an index that is computed; numbers are those of processes. */
byte x;
active [2] proctype P() { byte v[2]; v[_pid] = _pid + 3; L: x++; M: v[1]++ ; x++ }
active proctype Q() { byte k; P[0]@L && P[k + 1]@M; k = P[1]:v[1]; if :: P[0]:v[0] > 2 -> x = P[0]:v[0] :: else -> x = k fi;
    !P[0]@L -> x = 0 }
