/* SPDX-License-Identifier: Apache-2.0 */
#define FRONTEND "promela"
#define PROPOSITION "x == 0 || P@L"
#include "frontend.h"
