/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid.h: what the searches of weak-hybrid share: see weak-hybrid.c. */
#ifndef OMEN_CHECK_HYBRID_H
#define OMEN_CHECK_HYBRID_H

#include "path_set.h"

#include <omen/plugin/bfs.h>
#include <omen/plugin/dfs.h>

#include <stdatomic.h>

/* What a state of the accepting part is. */
enum { HYBRID_NEW, HYBRID_OPEN, HYBRID_DEAD };

typedef struct id_list {
    om_id *ids;
    size_t count, capacity;
} id_list;

/* One worker. The padding keeps what it writes away from others. */
typedef struct searcher {
    om_run *run;
    unsigned worker;
    om_dfs *way, *dfs; /* from an initial state to the root, filled for a report; and from there */
    path_set path;     /* of several workers: the states that are on this one's path */
    unsigned char *leads; /* scratch: what each edge of a state leads to */
    size_t leads_capacity;
    om_id root, closes; /* the end that the path begins with; see hybrid_report() */
    /* Ends that its breadth-first search came upon since the last round, or, where it has searched
     * them, before. Others read them during a round. */
    id_list ends;
    bool searched;
    /* States outside that it stored first; as many as there will be when the next probe is due; the
     * state that begins there, or OM_NO_ID; what it still has to expand, and ends it came upon. */
    uint64_t stored, probe_at;
    om_id probe;
    id_list stack, found;
    unsigned char before[64];
    _Atomic size_t taken;  /* of the ends; may run past their number; relaxed: a ticket */
    _Atomic om_id current; /* the root, OM_NO_ID: none */
    unsigned char behind[64];
} searcher;

struct om_run {
    const om_heap *heap;
    om_task *task;
    unsigned workers;
    om_bfs *bfs;
    om_side *colours; /* atomic_uchar per state: the enumeration above; 0 outside */
    bool *accepting;  /* per automaton state: it is in an accepting component */
    uint32_t last;    /* the word of a product vector that is the automaton's */
    searcher *searchers;
    _Atomic(searcher *) finder; /* the first that found a cycle, or NULL */
};

int hybrid_fail_memory(const searcher *s);
int hybrid_add(searcher *s, id_list *l, om_id id);
/* What a state is, of the accepting part. OM_OK or OM_ENOMEM. */
int hybrid_colour(searcher *s, om_id id, unsigned char *out);
/* Depth-first inside, from an end on, until it is dead. OM_ESTOP where somebody found a cycle. */
int hybrid_search(searcher *s, om_id end);
/* The evidence of the finder, when nobody is at work. OM_ESTOP, or why there is none. */
int hybrid_report(searcher *s);
/* The worker's probe, which is due. */
int hybrid_probe(searcher *s);

#endif
