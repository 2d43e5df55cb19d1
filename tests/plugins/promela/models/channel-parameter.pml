/* SPDX-License-Identifier: Apache-2.0 */
chan a = [0] of { byte }; chan b = [0] of { byte }; proctype P(chan i; chan o) { byte v; do :: i?v; v = (v + 1) % 3; o!v od } init { atomic { run P(a, b); run P(b, a) }; a!1 }
