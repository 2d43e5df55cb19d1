/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second search by the device: after a search that found nothing it starts again, with an empty
 * index, and must get the same results. Then its tables are checked.
 *
 * Expanding the stored states once more and looking up their successors is not enough. That shows
 * that none is missing, but not that none is superfluous: a set with unreachable states may be
 * closed, too. It also needs rows that may have been dropped. A second search needs nothing that
 * the first one left.
 *
 * A1  The second search reads only what the host has written, and what it has written itself. The
 *     control words, the automaton and the wanted states are loaded again, the index and the
 *     degrees are cleared, and only rows of states that it has stored are read. So an error of the
 *     first search has no effect any more, wherever it was: in a row, before or after its
 *     expansion; in an entry; in a candidate, before it was interned or stored; in a parent, in a
 *     degree, in a record; in a computation.
 *
 * A2  Hence, if at most one of the two searches went wrong, the other one is right. The numbers of
 *     states, of transitions, deadlocks, overflows and levels do not depend on any order; nor does
 *     whether the model goes wrong, whether a wanted state or a cycle exists, and how many rounds
 *     trimming, or a fixpoint, takes. If all of these agree they are right, because one of the two
 *     searches is. If they do not, the CPU does the work.
 *
 * A3  Both could go wrong in the same way, if memory does not keep what is written (stuck bits) and
 *     the tables have the same addresses. Therefore each row that is present must be found in the
 *     index, and the index must have as many entries as there are states. A row that became one
 *     that is not stored is not found, and an entry that no kernel put is one too many.
 *
 * Not detected:
 *  -  errors that occur in both searches by chance, and agree in all of these figures;
 *  -  errors of both searches in the same way, because the kernels, their compiler or the device
 *     compute another function. That is the purpose of the CPU's sample: such a function is seldom
 *     wrong in only one state;
 *  -  of stuck bits: a row that became another stored one in both searches; an entry that became
 *     another one in both, its own state being stored once more; rows that were dropped.
 */
#include "exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- searching ---- */

/* Checks that both searches have the same results. */
static int compare(const om_engine *e, const om_exploration *first, const om_exploration *second)
{
    const struct {
        const char *name;
        uint64_t first, second;
    } figures[] = {
        { "states", first->states, second->states },
        { "transitions", first->transitions, second->transitions },
        { "deadlocks", first->deadlocks, second->deadlocks },
        { "overflows", first->overflows, second->overflows },
        { "levels", first->levels, second->levels },
        { "faults", first->fault != 0, second->fault != 0 },
    };
    char what[128];
    if (e->verdict != OM_ENGINE_DONE)
        return om_engine__wrong(
            e, e->spec.device, "a second search ended differently from the first one");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (figures[i].first == figures[i].second)
            continue;
        (void) snprintf(what, sizeof what,
            "a second search found %" PRIu64 " %s, the first one %" PRIu64, figures[i].second,
            figures[i].name, figures[i].first);
        return om_engine__wrong(e, e->spec.device, what);
    }
    return OM_OK;
}

static int search(om_engine *e)
{
    om_exploration second = { 0 };
    int rc = OM_OK;
    e->complete = false;
    e->spec.progress = NULL; /* all states have been reported already */
    for (uint32_t i = 0; rc == OM_OK && i < e->count; i++)
        rc = om_member__restart(&e->members[i]);
    if (rc == OM_OK)
        rc = om_engine__run(e, &second);
    if (rc == OM_OK)
        rc = compare(e, &e->found, &second);
    om_free(e->heap, second.fault_vector);
    om_free(e->heap, second.overflow_vector);
    e->complete = rc == OM_OK;
    return rc;
}

static int trim(om_engine *e)
{
    const uint64_t rounds = e->rounds;
    om_id rest = OM_NO_ID;
    int rc =
        e->fixed ? om_engine_fixpoint(e, e->sets, &rest, NULL) : om_engine_trim(e, &rest, NULL);
    if (rc == OM_OK && (rest != OM_NO_ID || e->rounds != rounds))
        rc = om_engine__wrong(
            e, e->spec.device, "a second trimming ended differently from the first one");
    return rc;
}

/* ---- tables ---- */

static int check_table(om_member *m)
{
    uint64_t entries = 0;
    int rc = om_state_table__find_rows(&m->table);
    if (rc == OM_OK)
        rc = om_state_table__count(&m->table, &entries);
    if (rc == OM_OK && entries != m->table.stored)
        rc =
            om_engine__wrong(m->engine, m->device, "its index and its table hold different states");
    return rc;
}

int om_engine__recheck(om_engine *e)
{
    const bool trimmed = e->trimmed;
    if (!e->complete)
        return om_fail(e->ctx, OM_EINVAL, NULL, "only a complete exploration can be repeated");
    int rc = search(e);
    /* Before trimming, which may make the index grow. */
    for (uint32_t i = 0; rc == OM_OK && i < e->count; i++)
        rc = check_table(&e->members[i]);
    return rc == OM_OK && trimmed ? trim(e) : rc;
}
