/* SPDX-License-Identifier: Apache-2.0 */
#define FRONTEND "promela"
#define PROPOSITION "x == 0 || P@L || P.x == 1 || P == s1 || c.len == TWO"
#define FORMULA "[] (x == TWO -> <> !P[0]@L U P.x[0] == 1) && (P:0 != L || c.0[0] > SUM(1, 2))"
#include "frontend.h"
