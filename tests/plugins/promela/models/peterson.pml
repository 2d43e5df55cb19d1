/* SPDX-License-Identifier: Apache-2.0 */
bool turn, flag[2]; byte n; active [2] proctype user() { assert(_pid == 0 || _pid == 1); again: flag[_pid] = 1; turn = _pid; (flag[1 - _pid] == 0 || turn == 1 - _pid); n++; assert(n == 1); n--; flag[_pid] = 0; goto again }
