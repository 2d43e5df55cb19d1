/* SPDX-License-Identifier: Apache-2.0 */
/* cndfs.h: definitions that the blue and the red search of cndfs share. See cndfs.c. */
#ifndef OMEN_CNDFS_H
#define OMEN_CNDFS_H

#include <omen/plugin/dfs.h>

#include <stdatomic.h>

/* Colours. The first three are shared and are only ever added. CYAN: on the blue path of this
 * worker. PINK: in R of its current red search. */
enum { BLUE = 1, RED = 2, RED_TOO = 4 /* its s' */, CYAN = 8, PINK = 16 };
/* Flags of a state of the blue path: it has an s'; a successor of s' was not red; a successor of
 * the state itself was not red. */
enum { ACCEPTS = 1, SEED = 2, REST = 4 };
#define MET_ACCEPTS (UINT64_C(1) << 63)

struct om_run {
    const om_heap *heap;
    om_task *task;
    om_side *shared; /* atomic_uchar: BLUE, RED, RED_TOO; NULL with a single worker */
    /* Numbers of workers that have begun and not finished; that wait for red searches; that may
     * have a path of any length. No other data depends on them: relaxed. */
    atomic_uint active, awaiting, deep;
};

typedef struct searcher {
    om_run *run;
    om_dfs *blue, *red;
    om_side *own; /* unsigned char: all colours, the shared ones as last seen */
    om_marks all;
    unsigned char *frames; /* by state of the blue path: ACCEPTS, SEED, REST */
    size_t frame_room;
    om_id *met; /* R: the states, with MET_ACCEPTS */
    size_t met_count, met_room;
    uint64_t reds, blocked_ns;
    uint64_t longest; /* limit of the blue path's length; UINT64_MAX: counted in `deep` */
} searcher;

static inline int fail_memory(const searcher *s)
{
    return om_fail_memory(om_task_context(s->run->task));
}

/* Gets the colours of a state. Reads the shared ones unless all that are wanted are known: a colour
 * that was seen stays. */
static inline int look(searcher *s, om_id id, unsigned char wanted, unsigned char **own)
{
    *own = om_side_at(s->own, id);
    if (*own == NULL)
        return fail_memory(s);
    if (s->run->shared == NULL || (**own & wanted) == wanted)
        return OM_OK;
    const atomic_uchar *at = om_side_at(s->run->shared, id);
    if (at == NULL)
        return fail_memory(s);
    **own |= atomic_load_explicit(at, memory_order_seq_cst);
    return OM_OK;
}

/* Adds colours to a state, and gets those that other workers have added. */
static inline int colour(searcher *s, om_id id, unsigned char bits, unsigned char *own)
{
    *own |= bits;
    if (s->run->shared == NULL)
        return OM_OK;
    atomic_uchar *at = om_side_at(s->run->shared, id);
    if (at == NULL)
        return fail_memory(s);
    *own |= atomic_fetch_or_explicit(at, bits, memory_order_seq_cst);
    return OM_OK;
}

static inline bool accepts(const searcher *s, om_marks marks)
{
    return (marks & s->all) == s->all;
}

static inline void fetch(const searcher *s, const om_step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (steps[i].fresh)
            continue;
        om_side_fetch(s->own, steps[i].to);
        if (s->run->shared != NULL)
            om_side_fetch(s->run->shared, steps[i].to);
    }
}

/*
 * Searches from the s' of `seed`, the last state of the blue path, for states that are not red, and
 * makes them red, except the seed, which the caller colours. Returns OM_ESTOP if there is an
 * accepting cycle or the task was stopped.
 */
int cndfs_red(searcher *s, om_id seed);

#endif
