/* SPDX-License-Identifier: Apache-2.0 */
#include "roots.h"

#include <assert.h>

int roots_push(searcher *s, om_dfs_edge by)
{
    if (!OM_ROOM(s->heap, s->roots, &s->root_room, s->root_count + 1))
        return om_fail_memory(om_task_context(s->task));
    assert(s->root_count == 0 || roots_top(s)->place < om_dfs_top(s->dfs)); /* F1 */
    s->roots[s->root_count++] = (root){ .place = om_dfs_top(s->dfs),
        .id = by.to,
        .representative = by.to,
        .by = by.marks & s->d->seen };
    return OM_OK;
}

/* ---- acceptance ---- */

static bool same(void *self, om_id a, om_id b)
{
    bool yes = false;
    return om_scc_sets_same(self, a, b, &yes) == OM_OK && yes;
}

static bool accepts(const searcher *s, const root *r)
{
    const decomposition_exact *x = s->d->exact;
    om_marks see, avoid;
    if (x != NULL)
        return x->accepts(s->self, r->seen, &see, &avoid);
    return inf_clauses_met(&s->accepts, r->seen);
}

int roots_found(searcher *s, const root *r, om_marks marks)
{
    om_evidence e = OM_EVIDENCE(&r->id, 1);
    e.entry = 0;
    e.same = same;
    e.self = s->classes;
    if (s->d->exact != NULL)
        (void) s->d->exact->accepts(s->self, marks, &e.see, &e.avoid);
    else {
        e.see = inf_clauses_see(&s->accepts, marks);
        e.avoid = s->d->avoid;
    }
    return s->rooted ? om_dfs_found(s->dfs, r->id, &e) : om_task_evidence(s->task, &e);
}

int roots_found_below(searcher *s)
{
    assert(s->full);
    const root *r = roots_top(s);
    while (r > s->roots && !accepts(s, r))
        r--;
    return roots_found(s, r, r->seen);
}

/* ---- merging ---- */

/* Merges the last root but one into the one below it. The cycle that unites them goes through the
 * last root, too: if it accepts, that is reported after all are merged and the whole cycle is in
 * one class. `cycle`: its marks (F5). */
static int merge_below(searcher *s, om_marks cycle)
{
    assert(s->root_count > 2); /* F2 */
    root *top = roots_top(s), *mid = top - 1, *low = top - 2;
    int rc = om_scc_sets_unite(s->classes, mid->id, low->id, mid->by | cycle, &low->seen);
    *mid = *top;
    s->unions++;
    s->root_count--;
    s->full = s->full || (s->d->exact == NULL && accepts(s, low));
    return rc;
}

/* Sets *in if a state, whose class has this representative, is in the class of a root. */
static int in_class_of(searcher *s, root *r, om_id id, om_id representative, bool *in)
{
    *in = r->representative == representative;
    if (*in) /* the usual case */
        return OM_OK;
    s->finds++;
    int rc = om_scc_sets_same(s->classes, r->id, id, in);
    if (rc == OM_OK && *in && representative != id)
        r->representative = representative;
    return rc;
}

/* F5: for the cycle that an edge from the last state of the path to the class of some root closes,
 * collects the marks of the classes from that root to the last, and of the edges between them, and
 * counts the roots above that root. */
static int add_cycle(searcher *s, om_id to, om_id representative, om_marks *marks, size_t *above)
{
    bool in = false;
    int rc = OM_OK;
    *above = 0;
    for (root *r = roots_top(s); rc == OM_OK && !in; r--) {
        om_marks of = 0;
        rc = in_class_of(s, r, to, representative, &in);
        if (rc == OM_OK) /* after the check: the state may have joined the class just before */
            rc = om_scc_sets_add(s->classes, r->id, 0, &of);
        *marks |= of;
        if (in || rc != OM_OK)
            break;
        assert(r > s->roots); /* F2 */
        *marks |= r->by;
        ++*above;
    }
    return rc;
}

/* Does the work of roots_reach_down() for exact marks. The whole cycle becomes one class even if
 * other workers unite its ends meanwhile: its marks are in every class that was merged. */
static int close_cycle(searcher *s, om_id to, om_id representative, om_marks marks, bool *below)
{
    size_t above = 0;
    int rc = add_cycle(s, to, representative, &marks, &above);
    *below = *below || above > 0;
    while (rc == OM_OK && above-- > 1)
        rc = merge_below(s, marks);
    return rc;
}

int roots_reach_down(searcher *s, om_id to, om_id representative, om_marks marks, bool *below)
{
    for (;;) {
        bool in = false;
        root *top = roots_top(s);
        int rc = OM_OK;
        if (s->root_count > 1)
            rc = in_class_of(s, top - 1, to, representative, &in);
        if (rc == OM_OK && in)
            *below = true;
        else if (rc == OM_OK)
            rc = in_class_of(s, top, to, representative, &in);
        if (rc != OM_OK || in)
            return rc;
        if (s->d->exact != NULL)
            return close_cycle(s, to, representative, marks, below);
        rc = merge_below(s, 0);
        if (rc != OM_OK)
            return rc;
    }
}

int roots_add_marks(searcher *s, om_marks marks)
{
    int rc = OM_OK;
    root *top = roots_top(s);
    /* `seen` may lack marks that other workers have added, which may break an exact condition. */
    if ((marks & ~top->seen) != 0 || s->d->exact != NULL)
        rc = om_scc_sets_add(s->classes, top->id, marks, &top->seen);
    return rc != OM_OK || !accepts(s, top) ? rc : roots_found(s, top, top->seen);
}

int roots_merge(searcher *s, om_marks marks, bool last)
{
    assert(s->root_count > 1);
    root *top = roots_top(s), *low = top - 1;
    marks |= top->by;
    int rc = (last ? om_scc_sets_unite_done : om_scc_sets_unite)(
        s->classes, top->id, low->id, marks, &low->seen);
    s->unions++;
    s->root_count--;
    return rc != OM_OK || !accepts(s, low) ? rc : roots_found(s, low, low->seen);
}
