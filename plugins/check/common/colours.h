/* SPDX-License-Identifier: Apache-2.0 */
/*
 * colours.h: the colours of a depth-first search by one worker, two bits for each state of the
 * product; Gaiser, Schwoon 2009, section 3.
 *
 * Not thread-safe: four states share a byte.
 */
#ifndef OMEN_CHECK_COLOURS_H
#define OMEN_CHECK_COLOURS_H

#include <omen/plugin/check.h>

/* WHITE: never met. CYAN: on the path of the (first) search. BLUE: left by it. RED: known not to be
 * on an accepting cycle, or met by the second search in progress. */
typedef enum colour { WHITE, CYAN, BLUE, RED } colour;

enum { COLOUR_BITS = 2, COLOURS_LOG2 = 2 /* log2 of the states in a byte */ };

static inline int colours_new(om_side **out, om_task *task)
{
    return om_side_new_grouped(out, om_task_product(task), 1, COLOURS_LOG2);
}

static inline unsigned colours_shift(om_id id)
{
    return (unsigned) (id & ((1u << COLOURS_LOG2) - 1)) * COLOUR_BITS;
}

/* Gets the colour of a state. Returns OM_OK or OM_ENOMEM, as does colour_set(). */
static inline int colour_of(om_side *colours, om_task *task, om_id id, colour *out)
{
    const unsigned char *at = om_side_at(colours, id);
    if (at == NULL)
        return om_fail_memory(om_task_context(task));
    *out = (colour) (*at >> colours_shift(id) & ((1u << COLOUR_BITS) - 1));
    return OM_OK;
}

static inline int colour_set(om_side *colours, om_task *task, om_id id, colour c)
{
    unsigned char *at = om_side_at(colours, id);
    unsigned shift = colours_shift(id), mask = ((1u << COLOUR_BITS) - 1) << shift;
    if (at == NULL)
        return om_fail_memory(om_task_context(task));
    *at = (unsigned char) ((*at & ~mask) | (unsigned) c << shift);
    return OM_OK;
}

/* Returns true if a state has this colour; for assertions. */
static inline bool colour_is(om_side *colours, om_id id, colour c)
{
    const unsigned char *at = om_side_at(colours, id);
    return at != NULL && (*at >> colours_shift(id) & ((1u << COLOUR_BITS) - 1)) == c;
}
/* Prefetches the colours of the successors that were met before; call it well before they are
 * read. */
static inline void colours_fetch(const om_side *colours, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!steps[i].fresh)
            om_side_fetch(colours, steps[i].to);
}

#endif
