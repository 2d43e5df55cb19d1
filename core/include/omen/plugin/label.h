/* SPDX-License-Identifier: Apache-2.0 */
/* label.h: labels (valuations of the atomic propositions in a state) and cubes (sets of labels). */
#ifndef OMEN_LABEL_H
#define OMEN_LABEL_H

#include <omen/plugin/base.h>

typedef uint64_t om_label; /* bit i: AP i is true */

/* Label l satisfies the cube if (l & pos) == pos and (l & neg) == 0. {0, 0} is true. */
typedef struct om_cube {
    uint64_t pos, neg;
} om_cube;

#endif
