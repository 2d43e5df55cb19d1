/* SPDX-License-Identifier: Apache-2.0 */
/* Likewise, of a process that starts later. */
chan q = [0] of { byte };
proctype A(chan c) { xr c; c?_ }
init { byte x; x++; run A(q); q!1 }
