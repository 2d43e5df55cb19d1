/* SPDX-License-Identifier: Apache-2.0 */
/* ends.h: lowers the states where runs may end, make progress and are visible. */
#ifndef PROMELA_LOWER_ENDS_H
#define PROMELA_LOWER_ENDS_H

#include "lower.h"

/* Add the self-loop of valid end states, the states that make progress, and the visible states. */
int pml_lower_end(pml_lowering *l);
int pml_lower_progress(pml_lowering *l);
int pml_lower_visible(pml_lowering *l);

#endif
