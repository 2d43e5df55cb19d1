/* SPDX-License-Identifier: Apache-2.0 */
/* label.h: labels, which say what holds in a state, and cubes, which are sets of them. */
#ifndef OMEN_LABEL_H
#define OMEN_LABEL_H

#include <omen/plugin/base.h>

typedef uint64_t om_label; /* bit i: AP i is true */

/* Satisfied by a label l when (l & pos) == pos and (l & neg) == 0. {0, 0} is true. */
typedef struct om_cube {
    uint64_t pos, neg;
} om_cube;

#endif
