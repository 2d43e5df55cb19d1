/* SPDX-License-Identifier: Apache-2.0 */
byte n; proctype F(byte k) { n++; if :: k > 0 -> run F(k - 1) :: else fi } init { run F(3) }
