/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a channel that may be a rendezvous: that is always empty, and never full. */
chan r = [0] of { byte }; chan q = [1] of { byte }; byte x;
active proctype P() { chan h = r; if :: nfull(h) -> h!1 :: full(h) -> x = 9 fi; if :: empty(r) && empty(h) -> x = 2
    :: len(h) == 1 -> x = 3 fi; h = q; if :: nfull(h) -> h!x :: full(h) -> x = 4 fi }
active proctype Q() { byte v; if :: r?v -> q!5 :: q!4; r?v fi; x = len(q) + len(r); full(q) -> q?v; nfull(r) -> x = v }
