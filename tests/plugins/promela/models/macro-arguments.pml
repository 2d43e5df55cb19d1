/* SPDX-License-Identifier: Apache-2.0 */
/* Macros in one another's arguments, with commas in parentheses, over several lines, and undone. */
#define N 2
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define BOTH(s, t) s; \
	t
#define GET(q, v) q?v, _
#define N2 (N * N)
byte x, y[N2]; chan c = [N] of { byte, bit };
active proctype P() { BOTH(x = MAX(N, N2 - 3), y[N2 - 1] = MAX(x, MAX(1, 3))); c!x, 1; GET(c, y[0]) }
#undef N
#define N 5
#if N == 5 && defined(N2)
active proctype Q() { BOTH(x = N, y[1] = x + N) }
#endif
