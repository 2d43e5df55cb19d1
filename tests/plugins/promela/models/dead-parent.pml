/* SPDX-License-Identifier: Apache-2.0 */
/* A parent that ends first stays until its children are gone. */
byte n; proctype Leaf(byte d) { n = n + d } proctype Node(byte d) { if :: d > 0 -> run Leaf(d); run Node(d - 1) :: else fi; n++ }
init { run Node(2); _nr_pr == 1 -> n = n * 2 }
