/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are given again as soon as the youngest are gone; one that an older has to wait for is not. */
byte first, last; chan go = [1] of { bit };
proctype Short() { last = _pid } proctype Long() { first = _pid; go?1 }
init { run Long(); run Short(); _nr_pr == 2; run Short(); go!1; run Short(); _nr_pr == 1; run Long(); go!1 }
