/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that are variables with an initial value: that counts, whatever is stored later. */
byte n = 3, done; bit flags[n]; mtype = { small, large }; mtype m = small; bool seen[m];
active [n] proctype P() { byte k = 2; byte own[k]; k = 5; own[1] = n; n--; flags[_pid] = 1;
    done = done + own[1] }
active proctype Q() { (done > 2) -> seen[0] = true; seen[1] = true; flags[2]++ }
