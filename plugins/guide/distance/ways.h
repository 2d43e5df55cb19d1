/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ways.h: shortest ways through the automaton.
 *
 * A run that is looked for goes into an accepting component and, if that is strong, takes edges of
 * each acceptance set there again and again. A way leads to the next edge of one kind: into an
 * accepting component, or of one set in the same component.
 *
 *  W1  left[q] is the number of edges from state q up to and with the first edge of the kind, or
 *      OM_NONE if there is no way. It is 1 or more.
 */
#ifndef OMEN_GUIDE_WAYS_H
#define OMEN_GUIDE_WAYS_H

#include <omen/plugin/automaton.h>

/* Sets after the first few do not guide. */
enum { MOST_WAYS = 8 };

typedef struct ways {
    const om_heap *heap;
    const om_automaton *automaton;
    om_sccs sccs;
    om_marks marks[MOST_WAYS]; /* the set of way i; 0: into an accepting component (way 0) */
    uint32_t *left;            /* [way * states + state]: W1 */
    uint32_t count;
    bool strong; /* there is a strong component with a way */
} ways;

/* Initialises a zeroed struct; the automaton is borrowed. OM_OK or OM_ENOMEM, without a message. */
int ways_init(ways *w, const om_heap *heap, om_context *ctx, const om_automaton *a);
void ways_free(ways *w);
/* Returns the strength of the state's component. */
om_strength ways_strength(const ways *w, uint32_t state);
/* Returns left[state] of a way. */
uint32_t ways_left(const ways *w, uint32_t way, uint32_t state);
/* Returns true if an edge begins a shortest way. */
bool ways_begins(const ways *w, uint32_t way, const om_edge *e);

#endif
