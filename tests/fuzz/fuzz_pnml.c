/* SPDX-License-Identifier: Apache-2.0 */
#define FRONTEND "pnml"
#define PROPOSITION "p + 2 * q - 1 > 0 || fire(t)"
#include "frontend.h"
