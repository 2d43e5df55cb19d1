/* SPDX-License-Identifier: Apache-2.0 */
/* Channels in structures that are parameters are those that are given. */
typedef T { chan c = [1] of { byte }; byte k }; typedef U { chan c; byte k };
chan d = [1] of { byte }; byte x;
proctype P(T t) { t.c!3; t.k = 1; t.c?x }
proctype Q(U u) { u.c!4; u.k--; u.c?x }
init { T t; U u; u.c = d; u.k = 2; run P(t); run Q(u); run P(d, 1); if :: t.c?x -> x = 9 :: d?x :: skip fi }
