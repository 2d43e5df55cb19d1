/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first exploration: lists the states that may be on accepting cycles, counts the edges between
 * them, and propagates maximal accepting predecessors: see owcty.c.
 *
 * All atomics are relaxed: the search ends before its results are read.
 */
#include "owcty.h"

#include <limits.h>

int owcty_known(const searcher *s, om_id id, known **out)
{
    *out = om_side_at(s->run->known, id);
    return *out == NULL ? om_fail_memory(om_task_context(s->run->task)) : OM_OK;
}

int owcty_count(const searcher *s, atomic_uint *edges)
{
    if (atomic_fetch_add_explicit(edges, 1, memory_order_relaxed) != UINT_MAX)
        return OM_OK;
    return om_fail(om_task_context(s->run->task), OM_ELIMIT, NULL,
        "more than 2^32 - 1 edges lead into one state");
}

/* Raises a state's maximal accepting predecessor to this one. */
static void raise_predecessor(known *k, uint64_t predecessor)
{
    uint64_t old = atomic_load_explicit(&k->word, memory_order_relaxed);
    while ((old & ~OWCTY_LISTED) < predecessor &&
           !atomic_compare_exchange_weak_explicit(&k->word, &old,
               predecessor | (old & OWCTY_LISTED), memory_order_relaxed, memory_order_relaxed))
        ;
}

/* Propagates a predecessor along an inner edge of `from`. Returns OM_ESTOP if it closes an
 * accepting cycle. */
static int hand_on(const om_run *run, om_id from, uint64_t predecessor, const om_step *e, known *to)
{
    if ((e->marks & run->all) == run->all) {
        if (e->to == from)
            return OM_ESTOP;
        predecessor = predecessor > from + 1 ? predecessor : from + 1;
    }
    if (predecessor == e->to + 1)
        return OM_ESTOP;
    raise_predecessor(to, predecessor);
    return OM_OK;
}

static int follow(const searcher *s, om_id from, uint64_t predecessor, const om_step *e)
{
    const om_run *run = s->run;
    known *to;
    int rc = owcty_known(s, e->to, &to);
    if (rc == OM_OK && run->map)
        rc = hand_on(run, from, predecessor, e, to);
    if (rc == OM_OK)
        rc = owcty_count(s, &to->degree);
    return rc == OM_OK && (e->marks & s->next) != 0 ? owcty_count(s, &to->seeds) : rc;
}

/* Lists a state of an accepting component of the automaton, and follows its inner edges. */
static int list(searcher *s, om_id from, uint32_t q, const om_step *steps, size_t count)
{
    known *k;
    int rc = owcty_known(s, from, &k);
    if (rc == OM_OK)
        rc = id_list_add(s->run->task, &s->rest, from);
    if (rc != OM_OK)
        return rc;
    uint64_t predecessor = atomic_fetch_or_explicit(&k->word, OWCTY_LISTED, memory_order_relaxed);
    owcty_fetch(s->run, steps, count);
    for (size_t i = 0; i < count && rc == OM_OK; i++)
        if (owcty_inner(s->run, q, steps[i].automaton_state))
            rc = follow(s, from, predecessor, &steps[i]);
    return rc;
}

bool owcty_explored(
    void *self, unsigned worker, om_cursor *c, om_id from, const om_step *steps, size_t count)
{
    om_run *run = self;
    searcher *s = &run->searchers[worker];
    uint32_t q = om_cursor_automaton_state(c, from);
    om_id none = OM_NO_ID;
    if (!run->accepting[q])
        return true;
    s->rc = list(s, from, q, steps, count);
    if (s->rc == OM_ESTOP)
        (void) atomic_compare_exchange_strong_explicit(
            &run->cycle, &none, from, memory_order_relaxed, memory_order_relaxed);
    return s->rc == OM_OK;
}
