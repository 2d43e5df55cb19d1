/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Couvreur's search, depth-first in terms of components: the edges to follow are those of a whole
 * component. A component whose marks satisfy all clauses accepts, and is reported as soon as it
 * does. A component that does not accept after all its edges were followed may still have an
 * accepting cycle in it, without the marks of Fin whose Inf it lacks. So it is visited again from
 * its root, and edges with such marks are avoided, because no accepting cycle there has one; the
 * visit finds the components of the rest, and so on.
 *
 * The names of the figure: SCC, H, max and succ are in visit.h; the stack `avoid` is that of levels
 * here: a level is a visit of one component (the first level: of the whole product), with the marks
 * to avoid.
 *
 * The correction. An avoided edge must be followed at some time, because it may be the only way to
 * states of the component. In the figure it is followed when its component has no other edges left:
 * it sets a threshold (`min`), and components above the threshold are never merged with those below
 * it. But a state above the threshold may be in one component with a state below it, by an edge of
 * the latter that is still to be followed: then it is removed too early, and the cycle is missed:
 *
 *     0 -> 1 -> 2 -l-> 3 -> 0,  0 -> 3    and the pair (l, u): 0 -> 3 -> 0 accepts
 *
 * If 0 -> 1 is followed first, in both visits, 3 is entered by the edge with l, above a threshold
 * at 2; 3 -> 0 is not recognised as closing a cycle; 3 is removed; and 0 -> 3 then leads to a
 * removed state. (The invariant that breaks is 5.) Here avoided edges wait (`later`) until the
 * stack of components is back where the level began: then all components that were met have been
 * completed, and newly met states begin a stack of their own. So no threshold is needed, and the
 * bound stays.
 *
 * Invariants:
 *  S1  A component that is popped is a maximal one of the graph that its level visits, without the
 *      edges that the level avoids: by Tarjan's argument, since it follows no other edges while
 *      there is a component on its stack.
 *  S2  A level reaches all states of the component that it visits: the component is strongly
 *      connected by edges that the level before did not avoid, and each of those is followed at
 *      once, or waits and is followed later. Edges that the level before avoids (`before`) are left
 *      out, because they may lead elsewhere: they wait in that level.
 *
 * Other differences from the figure:
 *  - Edges to active or removed states are processed when the state that they leave is entered, so
 *    that they never take room, and cycles are seen as early as possible.
 *  - The figure does not set H of the root of a removed component to null (line 47), as its
 *    Invariant 3 needs; here the root is removed with the other states.
 *  - A clause without Inf forbids its mark everywhere: such edges are avoided from the beginning.
 *    For a clause without Fin, which stands for (all edges, u), a component without u is removed at
 *    once: to avoid all edges would find nothing.
 *
 * Each level avoids one more mark than the level before it, so each state is expanded at most once
 * more than there are clauses with Fin. Without such a clause (generalized Buchi), no state is
 * visited twice.
 */
#include "revisit.h"

#include <assert.h>

typedef struct level {
    size_t base;          /* number of components on the stack below it */
    size_t later;         /* index of its first waiting edge */
    om_marks avoid;       /* edges with such marks wait, */
    om_marks before;      /* except those that the level before avoids, which are left out */
    bool by_waiting_edge; /* the lowest component was entered by an edge that had waited */
} level;

typedef struct searcher {
    revisit *run;
    visit *v;
    om_cursor *cursor;
    level *levels;
    size_t level_count, level_room;
    uint64_t components; /* completed in the first level */
    uint64_t again;      /* states that were entered again */
} searcher;

static level *last_level(const searcher *s)
{
    return &s->levels[s->level_count - 1];
}

static int push_level(searcher *s, om_marks avoid, om_marks before)
{
    assert(s->level_count == 0 || ((before & ~avoid) == 0 && before != avoid)); /* one more mark */
    if (!OM_ROOM(s->run->heap, s->levels, &s->level_room, s->level_count + 1))
        return om_fail_memory(om_task_context(s->run->task));
    s->levels[s->level_count++] = (level){
        .base = s->v->count, .later = s->v->later.count, .avoid = avoid, .before = before
    };
    return OM_OK;
}

static bool same(void *self, om_id a, om_id b)
{
    const revisit *run = self;
    return visit_same(&run->visit, a, b);
}

/* Returns the path to the root of the last component, which the caller frees. NULL if memory runs
 * out, or if an edge that had waited was followed: the state that it leaves is not active any
 * more. */
static om_id *path_of(const searcher *s, size_t *n)
{
    bool by_waiting_edge = false;
    for (size_t i = 0; i < s->level_count; i++)
        by_waiting_edge = by_waiting_edge || s->levels[i].by_waiting_edge;
    return by_waiting_edge ? NULL : visit_path(s->v, n);
}

/* Reports that the last component accepts. Its states are strongly connected by edges with its
 * marks only: the cycle is among those, and avoids the other marks as required. */
static int found(searcher *s)
{
    om_evidence e = OM_EVIDENCE(NULL, 0);
    om_id root = visit_state(s->v, visit_top(s->v)->root);
    om_id *path = path_of(s, &e.length);
    e.path = path;
    e.same = same;
    e.self = s->run;
    if (path == NULL) { /* reported without the path */
        e.path = &root;
        e.length = 1;
    }
    e.entry = e.length - 1;
    clauses_prove(s->run->clauses, visit_top(s->v)->within, &e.see, &e.avoid);
    int rc = om_task_evidence(s->run->task, &e);
    om_free(s->run->heap, path);
    return rc;
}

/* Reports a fault of the model in the root of the last component, which was just entered. */
static int note_fault(searcher *s, om_fault fault)
{
    size_t n = 0;
    om_id root = visit_state(s->v, visit_top(s->v)->root);
    om_id *path = path_of(s, &n);
    int rc = path != NULL ? om_task_fault(s->run->task, fault, path, n, false)
                          : om_task_fault(s->run->task, fault, &root, 1, false);
    om_free(s->run->heap, path);
    return rc;
}

/* Processes an edge that is not avoided, to an active state, which is of this level (S1, S2). */
static int close_cycle(searcher *s, uint64_t number, om_marks marks)
{
    assert(number >= s->v->stack[last_level(s)->base].root);
    visit_merge(s->v, number, marks);
    return clauses_hold(s->run->clauses, visit_top(s->v)->within) ? found(s) : OM_OK;
}

static int look(searcher *s, const pending *e)
{
    const level *l = last_level(s);
    uint32_t number;
    if ((e->marks & l->before) != 0)
        return OM_OK;
    int rc = visit_number(s->v, e->to, &number);
    if (rc != OM_OK || number == VISIT_REMOVED)
        return rc;
    bool avoided = (e->marks & l->avoid) != 0;
    if (number == VISIT_UNKNOWN)
        return visit_add(s->v, avoided ? &s->v->later : &s->v->succ, e);
    return avoided ? OM_OK : close_cycle(s, number, e->marks);
}

/* DFSpush */
static int enter(searcher *s, const pending *by)
{
    const om_step *steps;
    size_t n = 0;
    om_id at = OM_NO_ID;
    if (om_task_stopped(s->run->task))
        return OM_ESTOP;
    s->again += s->level_count > 1;
    int rc = visit_push(s->v, by);
    if (rc == OM_OK)
        rc = om_cursor_successors(s->cursor, by->to, &steps, &n);
    if (rc != OM_OK)
        return rc;
    om_fault fault = om_cursor_fault(s->cursor, &at, NULL);
    if (fault != 0 && at == by->to)
        rc = note_fault(s, fault);
    for (size_t i = 0; i < n; i++)
        om_side_fetch(s->v->numbers, steps[i].to);
    /* Edges are followed in reverse order of adding, so add them backwards to keep the cursor's
     * order. */
    while (rc == OM_OK && n-- > 0)
        rc = look(s, &(pending){ steps[n].to, steps[n].marks, by->to });
    return rc;
}

/* DFSpop */
static int leave(searcher *s)
{
    const component c = *visit_top(s->v);
    const om_id state = visit_state(s->v, c.root);
    const om_marks avoid = last_level(s)->avoid;
    bool hopeless = false;
    s->components += s->level_count == 1;
    const om_marks unmet = clauses_unmet(s->run->clauses, c.within, &hopeless);
    bool again = unmet != 0 && !hopeless;
    visit_pop(s->v, again);
    if (!again)
        return OM_OK;
    assert((unmet & avoid) == 0); /* no edge within has such a mark */
    int rc = push_level(s, avoid | unmet, avoid);
    return rc == OM_OK ? enter(s, &(pending){ state, c.by, c.from }) : rc;
}

/* Enters the target of an edge if it is unknown, or closes a cycle. */
static int follow(searcher *s, const pending *e)
{
    uint32_t number;
    int rc = visit_number(s->v, e->to, &number);
    if (rc != OM_OK || number == VISIT_REMOVED)
        return rc;
    return number == VISIT_UNKNOWN ? enter(s, e) : close_cycle(s, number, e->marks);
}

/* Called when the stack of components is where the level began: continues with a waiting edge, or
 * ends the level. */
static int go_on(searcher *s)
{
    pending_list *later = &s->v->later;
    level *l = last_level(s);
    while (later->count > l->later) {
        const pending e = later->at[--later->count];
        uint32_t number;
        int rc = visit_number(s->v, e.to, &number);
        if (rc == OM_OK && number != VISIT_UNKNOWN)
            continue;
        l->by_waiting_edge = e.from != OM_NO_ID;
        return rc == OM_OK ? enter(s, &e) : rc;
    }
    s->level_count--;
    return OM_OK;
}

/* Begins the first level, in which the edges into the initial states wait. */
static int begin(searcher *s)
{
    const om_step *steps;
    size_t n = 0;
    int rc = push_level(s, clauses_forbidden(s->run->clauses), 0);
    if (rc == OM_OK)
        rc = om_cursor_initial(s->cursor, &steps, &n);
    while (rc == OM_OK && n-- > 0)
        rc = visit_add(s->v, &s->v->later, &(pending){ steps[n].to, 0, OM_NO_ID });
    return rc;
}

/* Returns OM_OK if the whole product was searched and nothing was found. */
static int search(searcher *s)
{
    int rc = begin(s);
    while (rc == OM_OK && s->level_count > 0) {
        if (s->v->count == last_level(s)->base)
            rc = go_on(s);
        else if (s->v->succ.count == visit_top(s->v)->succ)
            rc = leave(s);
        else {
            const pending e = s->v->succ.at[--s->v->succ.count];
            rc = follow(s, &e);
        }
    }
    return rc;
}

int revisit_work(revisit *r)
{
    searcher s = { .run = r, .v = &r->visit };
    int rc = om_task_cursor(r->task, 0, &s.cursor);
    if (rc == OM_OK)
        rc = search(&s);
    if (rc == OM_OK) {
        assert(s.v->count == 0 && s.v->succ.count == 0 && s.v->later.count == 0);
        om_task_complete(r->task);
        if (s.levels[0].avoid == 0) /* else they are not those of the product */
            om_task_add_sccs(r->task, s.components);
    }
    om_task_count(r->task, OM_COUNT_RED, s.again);
    om_task_count(r->task, OM_COUNT_PEAK_STACK, s.v->peak);
    om_task_add_counts(r->task, 0, 0, s.level_room * sizeof *s.levels);
    om_free(r->heap, s.levels);
    return rc;
}

int revisit_new(revisit *r, om_task *task, const clauses *c)
{
    r->heap = om_task_heap(task);
    r->task = task;
    r->clauses = c;
    return visit_new(&r->visit, task);
}

void revisit_free(revisit *r)
{
    if (r->visit.task != NULL)
        om_task_add_counts(r->task, 0, 0, visit_bytes(&r->visit));
    visit_free(&r->visit);
}
