/* SPDX-License-Identifier: Apache-2.0 */
#define FRONTEND "dve"
#define PROPOSITION "x == 0 || P.q"
#include "frontend.h"
