/* SPDX-License-Identifier: Apache-2.0 */
/* The last statements of both, so that both end at once. */
chan r = [0] of { byte }; byte n;
proctype S() { r!1 } proctype T() { byte v; r?v }
init { run S(); run T(); _nr_pr == 1; n = 1; run T(); run S(); _nr_pr == 1; n = 2 }
