/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_points.h"

#include "form/interval.h"
#include "analysis/mentions.h"
#include "analysis/moves.h"
#include "analysis/standing.h"

#include <assert.h>
#include <string.h>

enum {
    PATHS = 16,      /* maximum number of paths through passed locations, from one */
    DEPTH = 64,      /* maximum number of consecutive passed locations */
    RECURSION = 512, /* depth limit of the search for cycles */
    CASES = 32,      /* maximum number of transitions from one location */
    MOST_SPREAD = 8  /* processes at whose locations one reader is recorded */
};
/* Limit on the nodes rebuilt to find what other processes read of a location, or visited to find
 * what they read: enough for all but huge models. */
static const uint64_t MOST_WORK = 20000000;

/* The processes that write a slot exclusively: each moves in every transition that assigns it. The
 * candidates are the slot's owner or, if it has none, the two processes of the first such
 * transition. */
typedef struct writers {
    uint32_t process[2]; /* or OM_NONE */
    bool assigned;
} writers;

/* A reader of a slot. */
typedef struct reader {
    uint32_t index; /* a transition; higher numbers are assertions, then APs */
    uint32_t next;
} reader;

typedef struct om_points_work {
    om_reading reading;
    writers *writers;       /* by slot */
    uint32_t *first_reader; /* by slot, or OM_NONE */
    uint32_t *point_reader; /* by point: readers of the location that ignore all but a few values */
    reader *readers;
    size_t reader_count, reader_room;
    uint32_t *locations; /* location slots that the current reader reads, without duplicates */
    uint32_t location_count, *location_seen; /* by slot: 1 + the last reader */
    om_mentions mentions;
    uint32_t *in_guard, guard_stamp; /* by node: it is a conjunct of the guard with this stamp */
    size_t in_guard_count, in_guard_room;
    bool *steady; /* by node, as many as there were: it is a conjunct of `visible` */
    size_t steady_count;
    uint32_t *assigned, assigned_stamp; /* by slot: stamp if the location's transitions assign it */
    uint32_t *moving, moving_count;     /* the processes that the current transition moves */
    uint32_t *moves_at, moves_stamp;    /* by process: equals the stamp if it is one of them */
    uint32_t index;                     /* of the current reader */
    uint8_t *colour;                    /* by point */
    /* The assumptions under which an expression is rebuilt. */
    om_rewrite rewrite;
    om_standing standing;
    uint32_t *asked, asked_stamp; /* by reader: equals the stamp if already checked */
    uint32_t slot;                /* slot == location, and ... */
    om_value location;
    om_expr supposed[2 * CASES]; /* ... supposed[i] == truth[i] */
    uint32_t supposed_count;
    bool truth[2 * CASES];
    bool moves; /* the current reader is a transition, which moves moving[] */
    bool reads_assigned;
    bool too_large; /* finding the readers takes too long: no location is passed */
    bool failed;    /* memory ran out */
} work;

/* ---- movers, writers and readers ---- */

static bool is_moving(const work *w, uint32_t process)
{
    return process != OM_NONE && w->moves_at[process] == w->moves_stamp;
}

static void add_mover(work *w, uint32_t process)
{
    if (process == OM_NONE || is_moving(w, process))
        return;
    w->moves_at[process] = w->moves_stamp;
    w->moving[w->moving_count++] = process;
}

/* Returns true if the guard of a transition is false whatever the state is: it takes no part. */
static bool is_never(const om_points *x, uint32_t t)
{
    const om_expr guard = x->in->transitions[t].guard;
    const om_node *n = &x->in->m->nodes[guard];
    return guard != 0 && n->op == OM_OP_CONST && n->value == 0;
}

/* Finds the processes that a transition moves: its own process, its partner, and those whose
 * location it assigns (starting a process moves it). */
static void find_movers(const om_points *x, const om_transition *t)
{
    work *w = x->work;
    w->moving_count = 0;
    w->moves_stamp++;
    add_mover(w, t->process);
    add_mover(w, t->partner);
    for (uint32_t i = 0; i < t->assign_count; i++)
        add_mover(w, x->process_of[t->assigns[i].slot]);
}

/* Returns true if a process that writes the slot exclusively must know this reader. A transition
 * that moves the process is not an outside reader. */
static bool may_ask(const work *w, uint32_t slot)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t process = w->writers[slot].process[i];
        if (w->writers[slot].assigned && process != OM_NONE && !(w->moves && is_moving(w, process)))
            return true;
    }
    return false;
}

static void put_reader(om_points *x, uint32_t *list)
{
    work *w = x->work;
    assert(w->reader_count < OM_NONE);
    if (!OM_ROOM(x->heap, w->readers, &w->reader_room, w->reader_count + 1)) {
        w->failed = true;
        return;
    }
    w->readers[w->reader_count] = (reader){ w->index, *list };
    *list = (uint32_t) w->reader_count++;
}

static void see(void *self, uint32_t slot)
{
    om_points *x = self;
    work *w = x->work;
    if (!may_ask(w, slot))
        return;
    if (x->process_of[slot] == OM_NONE) {
        put_reader(x, &w->first_reader[slot]);
        return;
    }
    if (w->location_seen[slot] != w->index + 1)
        w->locations[w->location_count++] = slot;
    w->location_seen[slot] = w->index + 1;
}

static void note_writer(const om_points *x, const om_transition *t, uint32_t slot)
{
    work *w = x->work;
    writers *by = &w->writers[slot];
    const uint32_t owner = om_model_slot(x->in->m, slot)->process;
    if (!by->assigned) {
        by->assigned = true;
        by->process[0] = owner != OM_NONE ? owner : t->process;
        by->process[1] = owner != OM_NONE ? OM_NONE : t->partner;
    }
    for (int i = 0; i < 2; i++)
        if (!is_moving(w, by->process[i]))
            by->process[i] = OM_NONE;
}

/* Returns true if only the process ever writes the slot. */
static bool is_written_by(const om_points *x, uint32_t slot, uint32_t process)
{
    const writers *by = &x->work->writers[slot];
    return by->process[0] == process || by->process[1] == process;
}

/* ---- guards ---- */

static bool add_conjunct(om_points *x, om_expr e, uint32_t *count)
{
    if (!OM_ROOM(x->heap, x->conjuncts, &x->conjunct_room, x->conjunct_count + 1))
        return false;
    x->conjuncts[x->conjunct_count++] = e;
    ++*count;
    return true;
}

/* The recursion of this and the next function is as deep as expressions are (OM_EXPR_HEIGHT). */
static void mark_steady(const om_points *x, om_expr e)
{
    const om_node *n = &x->in->m->nodes[e];
    if (e == 0)
        return;
    x->work->steady[e] = true;
    if (n->op == OM_OP_AND) {
        mark_steady(x, n->a);
        mark_steady(x, n->b);
    }
}

static void mark_guard(const om_points *x, om_expr e)
{
    const om_node *n = &x->in->m->nodes[e];
    if (e == 0)
        return;
    x->work->in_guard[e] = x->work->guard_stamp;
    if (n->op == OM_OP_AND) {
        mark_guard(x, n->a);
        mark_guard(x, n->b);
    }
}

/* Selects the guard for is_in_guard() until the next call. */
static bool set_guard(const om_points *x, om_expr guard)
{
    work *w = x->work;
    const size_t nodes = x->in->m->node_count;
    if (!OM_ROOM(x->heap, w->in_guard, &w->in_guard_room, nodes))
        return false;
    for (; w->in_guard_count < nodes; w->in_guard_count++)
        w->in_guard[w->in_guard_count] = 0;
    w->guard_stamp++;
    mark_guard(x, guard);
    return true;
}

static bool is_in_guard(const work *w, om_expr e)
{
    return e < w->in_guard_count && w->in_guard[e] == w->guard_stamp;
}

static bool is_steady(const work *w, om_expr e)
{
    return e < w->steady_count && w->steady[e];
}

/* A test of the location that a transition leaves. A guard may also test the same slot for another
 * location: then the transition is never enabled, and that test is part of the residue. */
typedef struct location_test {
    uint32_t slot;
    om_value location;
} location_test;

static bool is_test(const om_model *m, om_expr e, const location_test *at)
{
    const om_node *n = &m->nodes[e];
    return n->op == OM_OP_EQ && m->nodes[n->a].op == OM_OP_SLOT && m->nodes[n->a].a == at->slot &&
           m->nodes[n->b].op == OM_OP_CONST && m->nodes[n->b].value == at->location;
}

/* Adds the conjuncts of a guard except for the location test: those of `visible`, or the others. */
static bool split(om_points *x, om_expr e, const location_test *at, bool steady, uint32_t *count)
{
    const om_model *m = x->in->m;
    const om_node n = m->nodes[e];
    if (n.op == OM_OP_AND)
        return split(x, n.a, at, steady, count) && split(x, n.b, at, steady, count);
    if (is_test(m, e, at) || is_steady(x->work, e) != steady)
        return true;
    return add_conjunct(x, e, count);
}

static int find_residue(om_points *x, uint32_t t, const location_test *at)
{
    om_residue *r = &x->residue[t];
    const om_expr guard = x->in->transitions[t].guard;
    *r = (om_residue){ .first = (uint32_t) x->conjunct_count };
    if (!split(x, guard, at, false, &r->count))
        return OM_ENOMEM;
    r->steady_first = (uint32_t) x->conjunct_count;
    return split(x, guard, at, true, &r->steady_count) ? OM_OK : OM_ENOMEM;
}

/* ---- transitions that leave a location ---- */

typedef struct private_reader {
    const om_points *x;
    uint32_t process;
    bool all; /* all slots read are constant or written only by the process */
} private_reader;

static void see_private(void *self, uint32_t slot)
{
    private_reader *r = self;
    const om_points *x = r->x;
    r->all = r->all && (!x->work->writers[slot].assigned || is_written_by(x, slot, r->process));
}

/* Returns true if the guard implies that the slot already has the assigned value. Call after
 * set_guard(). */
static bool stays(const om_points *x, const om_assign *a)
{
    om_model *m = x->in->m;
    return a->index == 0 && m->nodes[a->value].op == OM_OP_CONST &&
           is_in_guard(x->work, om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, a->slot), a->value));
}

/* Sets *own if transition t, which leaves a location of the process, depends only on slots that the
 * process writes exclusively, and writes only such slots. Records the slots that it assigns. */
static int is_own(om_points *x, uint32_t t, uint32_t process, bool *own)
{
    const om_transition *tr = &x->in->transitions[t];
    const om_residue *r = &x->residue[t];
    const uint32_t location = om_model_process(x->in->m, process)->location;
    private_reader own_reader = { x, process, true };
    const uint32_t to = om_move__target(x->in->m, tr, location);
    *own = tr->process == process && tr->partner == OM_NONE && x->in->certain[t] &&
           to != OM_MOVE_STAYS && to != OM_MOVE_ANYWHERE;
    if (*own && !set_guard(x, tr->guard))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < tr->assign_count && *own; i++) {
        const om_assign *a = &tr->assigns[i];
        if (stays(x, a))
            continue;
        *own = is_written_by(x, a->slot, process);
        x->work->assigned[a->slot] = x->work->assigned_stamp;
    }
    if (!*own)
        return OM_OK;
    if (om_reading__begin(&x->work->reading) != OM_OK) /* stays() added expressions */
        return OM_ENOMEM;
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        om_reading__slots(&x->work->reading, tr->assigns[i].index, see_private, &own_reader);
        om_reading__slots(&x->work->reading, tr->assigns[i].value, see_private, &own_reader);
    }
    for (uint32_t i = 0; i < r->count; i++)
        om_reading__slots(&x->work->reading, x->conjuncts[r->first + i], see_private, &own_reader);
    *own = own_reader.all;
    return OM_OK;
}

/* Returns true if these conjuncts are those of e, one by one. */
static bool are_conjuncts(const om_points *x, const om_residue *r, om_expr e, uint32_t *at)
{
    const om_node n = x->in->m->nodes[e];
    if (n.op == OM_OP_AND)
        return are_conjuncts(x, r, n.a, at) && are_conjuncts(x, r, n.b, at);
    return *at < r->count && x->conjuncts[r->first + (*at)++] == e;
}

/* Returns true if e is the negation of r. */
static bool denies(const om_points *x, om_expr e, const om_residue *r)
{
    om_model *m = x->in->m;
    uint32_t at = 0;
    if (r->count == 1 && om_expr_unary(m, OM_OP_NOT, x->conjuncts[r->first]) == e)
        return true;
    return m->nodes[e].op == OM_OP_NOT && are_conjuncts(x, r, m->nodes[e].a, &at) && at == r->count;
}

/* Returns true if some transition is always enabled: one without a condition, or one whose
 * condition is that the others are disabled. */
static bool never_stuck(const om_points *x, const om_point *point)
{
    for (uint32_t t = point->first; t != OM_NONE; t = x->next[t]) {
        const om_residue *r = &x->residue[t];
        bool last = true;
        for (uint32_t i = 0; i < r->count && last; i++) {
            last = false;
            for (uint32_t k = point->first; k != OM_NONE && !last; k = x->next[k])
                last = k != t && denies(x, x->conjuncts[r->first + i], &x->residue[k]);
        }
        if (last)
            return true;
    }
    return false;
}

/* ---- visibility of a location ---- */

static om_expr instead(void *self, om_expr e, om_node n)
{
    work *w = self;
    om_value value = 0;
    for (uint32_t i = 0; i < w->supposed_count; i++)
        if (w->supposed[i] == e)
            return om_expr_const(w->rewrite.to, w->truth[i]);
    if (n.op > OM_OP_ELEMENT && om_standing__constant(&w->standing, e, w->location, &value))
        return om_expr_const(w->rewrite.to, value);
    return n.op == OM_OP_SLOT && n.a == w->slot ? om_expr_const(w->rewrite.to, w->location) : 0;
}

/* Rebuilds the expression under the assumption that the process is in a location and, unless t is
 * OM_NONE, that t is enabled. */
static int supposing(om_points *x, uint32_t location, uint32_t t, om_expr e, om_expr *out)
{
    work *w = x->work;
    w->location = (om_value) location;
    w->supposed_count = 0;
    for (uint32_t i = 0; t != OM_NONE && i < x->residue[t].count && i < CASES; i++) {
        const om_expr c = x->conjuncts[x->residue[t].first + i];
        w->supposed[w->supposed_count] = c;
        w->truth[w->supposed_count++] = true;
        w->supposed[w->supposed_count] = om_expr_unary(x->in->m, OM_OP_NOT, c);
        w->truth[w->supposed_count++] = false;
    }
    om_rewrite__again(&w->rewrite);
    if (om_standing__begin(&w->standing, w->slot) != OM_OK)
        return OM_ENOMEM;
    return om_rewrite__expr(&w->rewrite, e, out);
}

static bool is_constant(const om_points *x, om_expr e, bool truth)
{
    const om_node *n = &x->in->m->nodes[e];
    return e != 0 && n->op == OM_OP_CONST && (n->value != 0) == truth;
}

/* Sets *is if e always has the value `truth` while the process is in the location. */
static int always(
    om_points *x, const om_point *point, uint32_t location, om_expr e, bool truth, bool *is)
{
    om_expr made = 0;
    int rc = supposing(x, location, OM_NONE, e, &made);
    *is = rc == OM_OK && is_constant(x, made, truth);
    if (rc != OM_OK || *is)
        return rc;
    *is = true;
    for (uint32_t t = point->first; t != OM_NONE && *is && rc == OM_OK; t = x->next[t]) {
        rc = supposing(x, location, t, e, &made);
        *is = is_constant(x, made, truth);
    }
    return rc;
}

static void see_assigned(void *self, uint32_t slot)
{
    work *w = self;
    w->reads_assigned = w->reads_assigned || w->assigned[slot] == w->assigned_stamp;
}

/* Sets *is if e has the same value in the location as in all its successor locations, regardless of
 * what the transitions to them assign. */
static int the_same(om_points *x, const om_point *point, uint32_t location, om_expr e, bool *is)
{
    work *w = x->work;
    om_expr here = 0, there = 0;
    int rc = supposing(x, location, OM_NONE, e, &here);
    *is = true;
    for (uint32_t t = point->first; t != OM_NONE && *is && rc == OM_OK; t = x->next[t]) {
        const uint32_t to = om_move__target(x->in->m, &x->in->transitions[t], w->slot);
        rc = supposing(x, to, OM_NONE, e, &there);
        *is = here == there;
    }
    if (rc == OM_OK && *is)
        rc = om_reading__begin(&w->reading);
    if (rc != OM_OK || !*is)
        return rc;
    w->reads_assigned = false;
    om_reading__slots(&w->reading, here, see_assigned, w);
    *is = !w->reads_assigned;
    return OM_OK;
}

static int transition_ignores(
    om_points *x, uint32_t process, const om_point *point, uint32_t location, uint32_t t, bool *is)
{
    const om_transition *tr = &x->in->transitions[t];
    find_movers(x, tr);
    *is = is_moving(x->work, process);
    int rc = OM_OK;
    if (!*is && !x->in->movers)
        rc = always(x, point, location, tr->guard, false, is);
    if (rc != OM_OK || *is)
        return rc;
    rc = the_same(x, point, location, tr->guard, is);
    for (uint32_t i = 0; i < tr->assign_count && rc == OM_OK && *is; i++) {
        rc = the_same(x, point, location, tr->assigns[i].value, is);
        if (rc == OM_OK && *is && tr->assigns[i].index != 0)
            rc = the_same(x, point, location, tr->assigns[i].index, is);
    }
    return rc;
}

/* Sets *is if reader i, which reads a slot that a transition from the location assigns, does not
 * depend on it. */
static int ignores(
    om_points *x, uint32_t process, const om_point *point, uint32_t location, uint32_t i, bool *is)
{
    const om_merge_input *in = x->in;
    if (i < in->transition_count)
        return transition_ignores(x, process, point, location, i, is);
    if ((i -= in->transition_count) >= in->condition_count)
        return the_same(x, point, location, in->aps[i - in->condition_count], is);
    int rc = always(x, point, location, in->conditions[i], true, is);
    return rc != OM_OK || *is ? rc : the_same(x, point, location, in->conditions[i], is);
}

/* Clears *is unless all readers of the list ignore the location. Each is checked once per
 * location. */
static int all_ignore(om_points *x, uint32_t process, const om_point *point, uint32_t location,
    uint32_t list, bool *is)
{
    work *w = x->work;
    int rc = OM_OK;
    for (uint32_t k = list; k != OM_NONE && *is && rc == OM_OK; k = w->readers[k].next) {
        const uint32_t index = w->readers[k].index;
        if (w->asked[index] == w->asked_stamp)
            continue;
        w->asked[index] = w->asked_stamp;
        rc = ignores(x, process, point, location, index, is);
        *is = *is && w->rewrite.visited <= MOST_WORK;
        rc = rc == OM_OK ? om_context_stopped(x->in->m->ctx) : rc;
    }
    return rc;
}

/* Sets *is if no other process, no assertion and no AP distinguishes the location from its
 * successors. */
static int is_unseen(
    om_points *x, uint32_t process, const om_point *point, uint32_t location, bool *is)
{
    work *w = x->work;
    assert(point->first != OM_NONE); /* M2 */
    w->slot = om_model_process(x->in->m, process)->location;
    w->asked_stamp++;
    *is = true;
    int rc = all_ignore(x, process, point, location, w->point_reader[point - x->points], is);
    for (uint32_t t = point->first; t != OM_NONE && *is && rc == OM_OK; t = x->next[t])
        for (uint32_t i = 0; i < x->in->transitions[t].assign_count && *is && rc == OM_OK; i++) {
            const uint32_t slot = x->in->transitions[t].assigns[i].slot;
            if (w->assigned[slot] == w->assigned_stamp)
                rc = all_ignore(x, process, point, location, w->first_reader[slot], is);
        }
    return rc;
}

/* ---- readers ---- */

/* Records the reader at the locations of the process that it mentions, if it ignores the others: a
 * transition whose guard e is false in the others, or an assertion e that is true in them. */
static int put_to_points(om_points *x, uint32_t slot, om_expr e, bool truth, bool *put)
{
    work *w = x->work;
    om_mentions *of = &w->mentions;
    const uint32_t process = x->process_of[slot],
                   locations = om_model__slot(x->in->m, slot)->enumerators;
    uint32_t other = 0; /* the first location that is not mentioned */
    om_expr made = 0;
    *put = false;
    if (e == 0 || x->base[process] == OM_NONE)
        return OM_OK;
    int rc = om_mentions__find(of, e, slot);
    while (other < of->count && of->at[other] == (om_value) other)
        other++;
    if (rc != OM_OK || of->otherwise || other >= locations)
        return rc;
    w->slot = slot;
    rc = supposing(x, other, OM_NONE, e, &made);
    *put = rc == OM_OK && is_constant(x, made, truth);
    for (size_t i = 0; i < of->count && *put; i++)
        if (of->at[i] >= 0 && (om_uvalue) of->at[i] < locations)
            put_reader(x, &w->point_reader[x->base[process] + (uint32_t) of->at[i]]);
    return rc;
}

/* Records the reader at the locations that it reads; e: its guard or condition, 0 for an AP. */
static int put_locations(om_points *x, om_expr e, bool truth)
{
    work *w = x->work;
    int rc = OM_OK;
    for (uint32_t i = 0; i < w->location_count && rc == OM_OK; i++) {
        bool put = false;
        if (i < MOST_SPREAD && (truth || !x->in->movers))
            rc = put_to_points(x, w->locations[i], e, truth, &put);
        if (rc == OM_OK && !put)
            put_reader(x, &w->first_reader[w->locations[i]]);
    }
    w->location_count = 0;
    return rc != OM_OK ? rc : w->failed ? OM_ENOMEM : om_context_stopped(x->in->m->ctx);
}

static int read_one(om_points *x, uint32_t index, om_expr e)
{
    x->work->index = index;
    if (om_reading__begin(&x->work->reading) != OM_OK)
        return OM_ENOMEM;
    om_reading__slots(&x->work->reading, e, see, x);
    return x->work->failed ? OM_ENOMEM : OM_OK;
}

static int read_transition(om_points *x, uint32_t index)
{
    work *w = x->work;
    const om_transition *t = &x->in->transitions[index];
    if (is_never(x, index))
        return OM_OK;
    find_movers(x, t);
    const int rc = read_one(x, index, t->guard);
    for (uint32_t i = 0; i < t->assign_count && rc == OM_OK; i++) {
        om_reading__slots(&w->reading, t->assigns[i].index, see, x);
        om_reading__slots(&w->reading, t->assigns[i].value, see, x);
    }
    return rc == OM_OK ? put_locations(x, t->guard, false) : rc;
}

static int read_all(om_points *x)
{
    const om_merge_input *in = x->in;
    uint32_t index = 0;
    int rc = OM_OK;
    x->work->moves = true;
    for (uint32_t i = 0; i < in->transition_count && rc == OM_OK; i++) {
        rc = read_transition(x, index++);
        x->work->too_large = x->work->reading.visited > MOST_WORK;
        if (x->work->too_large)
            return rc;
    }
    x->work->moves = false;
    for (uint32_t i = 0; i < in->condition_count && rc == OM_OK; i++) {
        rc = read_one(x, index++, in->conditions[i]);
        if (rc == OM_OK)
            rc = put_locations(x, in->conditions[i], true);
    }
    for (uint32_t i = 0; i < in->ap_count && rc == OM_OK; i++) {
        rc = read_one(x, index++, in->aps[i]);
        if (rc == OM_OK)
            rc = put_locations(x, 0, true);
    }
    return rc;
}

static int note_writers(om_points *x)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < x->in->transition_count && rc == OM_OK; i++) {
        const om_transition *t = &x->in->transitions[i];
        find_movers(x, t);
        for (uint32_t k = 0; k < t->assign_count && !is_never(x, i); k++)
            note_writer(x, t, t->assigns[k].slot);
        rc = om_context_stopped(x->in->m->ctx);
    }
    return rc;
}

/* ---- points ---- */

/* Records transition t, which moves the process, at its source location. Returns false if its
 * source or target is unknown. */
static bool put_transition(om_points *x, uint32_t t, uint32_t process)
{
    const om_transition *tr = &x->in->transitions[t];
    const uint32_t slot = om_model_process(x->in->m, process)->location;
    const uint32_t locations = om_model__slot(x->in->m, slot)->enumerators;
    const uint32_t from = om_move__source(x->in->m, tr->guard, slot),
                   to = om_move__target(x->in->m, tr, slot);
    if (from == OM_NONE || from >= locations || (to != OM_MOVE_STAYS && to >= locations))
        return false;
    om_point *point = om_points__at(x, process, from);
    if (tr->process != process || tr->partner != OM_NONE)
        point->passed = false; /* stays false */
    else {
        x->next[t] = point->first;
        point->first = t;
    }
    return true;
}

static int make_points(om_points *x)
{
    const om_model *m = x->in->m;
    uint32_t count = 0;
    for (uint32_t p = 0; p < om_model_process_count(m); p++) {
        const uint32_t slot = om_model__own_location(m, p);
        x->base[p] = slot == OM_NONE ? OM_NONE : count;
        count += slot == OM_NONE ? 0 : om_model__slot(m, slot)->enumerators;
    }
    x->point_count = count;
    if (!OM_NEW(x->heap, x->points, (size_t) count + 1) ||
        !OM_NEW(x->heap, x->work->colour, (size_t) count + 1) ||
        !OM_NEW(x->heap, x->work->point_reader, (size_t) count + 1))
        return OM_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        x->points[i] = (om_point){ .passed = true, .first = OM_NONE };
        x->work->point_reader[i] = OM_NONE;
    }
    for (uint32_t t = x->in->transition_count;
         t-- > 0;) { /* descending, so that lists are in ascending order */
        find_movers(x, &x->in->transitions[t]);
        for (uint32_t i = 0; i < x->work->moving_count && !is_never(x, t); i++) {
            const uint32_t p = x->work->moving[i];
            if (x->base[p] != OM_NONE && !put_transition(x, t, p))
                x->base[p] = OM_NONE;
        }
        if (om_context_stopped(m->ctx) != OM_OK)
            return om_context_stopped(m->ctx);
    }
    return OM_OK;
}

/* Determines whether the location can be passed; checks everything except cycles. */
static int look_at(om_points *x, uint32_t process, uint32_t location)
{
    om_point *point = om_points__at(x, process, location);
    const location_test at = { om_model_process(x->in->m, process)->location, (om_value) location };
    uint32_t ways = 0;
    bool is = point->passed && point->first != OM_NONE && !x->work->too_large;
    int rc = OM_OK;
    x->work->assigned_stamp++;
    for (uint32_t t = point->first; t != OM_NONE && is && rc == OM_OK; t = x->next[t]) {
        rc = find_residue(x, t, &at);
        if (rc == OM_OK)
            rc = is_own(x, t, process, &is);
        is = is && ++ways <= CASES && x->residue[t].count <= CASES;
    }
    is = is && rc == OM_OK && never_stuck(x, point);
    if (is)
        rc = is_unseen(x, process, point, location, &is);
    point->passed = is && rc == OM_OK;
    return rc;
}

/* ---- cycles ---- */

enum { WHITE, GREY, BLACK };

/* Clears `passed` for one location of every cycle, and for locations with too many or too long
 * continuations. `below`: recursion depth of the search. */
static void unroll(om_points *x, uint32_t process, uint32_t location, uint32_t below)
{
    om_point *point = om_points__at(x, process, location);
    uint8_t *colour = &x->work->colour[point - x->points];
    const uint32_t slot = om_model_process(x->in->m, process)->location;
    if (*colour == GREY || below > RECURSION)
        point->passed = false;
    if (*colour != WHITE || !point->passed)
        return;
    *colour = GREY;
    point->paths = point->depth = 0;
    for (uint32_t t = point->first; t != OM_NONE; t = x->next[t]) {
        const uint32_t to = om_move__target(x->in->m, &x->in->transitions[t], slot);
        const om_point *then = om_points__at(x, process, to);
        unroll(x, process, to, below + 1);
        const bool on = then->passed;
        assert(!on || x->work->colour[then - x->points] == BLACK); /* M4 */
        point->paths += on ? then->paths : 1;
        if (on && then->depth >= point->depth)
            point->depth = then->depth;
    }
    point->depth++;
    assert(point->paths != 0);
    if (point->paths > PATHS || point->depth > DEPTH)
        point->passed = false;
    *colour = BLACK;
}

static int find_passed(om_points *x)
{
    const om_model *m = x->in->m;
    int rc = OM_OK;
    for (uint32_t p = 0; p < om_model_process_count(m) && rc == OM_OK; p++) {
        const uint32_t slot = om_model_process(m, p)->location;
        const uint32_t locations = x->base[p] == OM_NONE ? 0 : om_model__slot(m, slot)->enumerators;
        for (uint32_t l = 0; l < locations && rc == OM_OK; l++) {
            rc = look_at(x, p, l);
            rc = rc == OM_OK ? om_context_stopped(m->ctx) : rc;
        }
        for (uint32_t l = 0; l < locations && rc == OM_OK; l++) {
            unroll(x, p, l, 0);
            rc = om_context_stopped(m->ctx);
        }
        for (uint32_t l = 0; l < locations && rc == OM_OK; l++)
            x->passed += om_points__at(x, p, l)->passed;
    }
    assert(x->passed <= x->point_count);
    return rc;
}

/* ---- opening and closing ---- */

static int make_tables(om_points *x)
{
    const om_merge_input *in = x->in;
    const uint32_t slots = om_model_slot_count(in->m), processes = om_model_process_count(in->m);
    work *w = x->work;
    const size_t by_slot = (size_t) slots + 1, by_process = (size_t) processes + 1,
                 by_transition = (size_t) in->transition_count + 1;
    w->steady_count = in->m->node_count;
    if (!OM_NEW(x->heap, x->base, by_process) || !OM_NEW(x->heap, x->process_of, by_slot) ||
        !OM_NEW(x->heap, x->next, by_transition) || !OM_NEW(x->heap, x->residue, by_transition) ||
        !OM_NEW(x->heap, w->writers, by_slot) || !OM_NEW(x->heap, w->assigned, by_slot) ||
        !OM_NEW(x->heap, w->first_reader, by_slot) ||
        !OM_NEW(x->heap, w->asked, by_transition + in->condition_count + in->ap_count) ||
        !OM_NEW(x->heap, w->locations, by_process) || !OM_NEW(x->heap, w->location_seen, by_slot) ||
        !OM_NEW(x->heap, w->steady, w->steady_count + 1) ||
        !OM_NEW(x->heap, w->moving, by_process) || !OM_NEW(x->heap, w->moves_at, by_process))
        return OM_ENOMEM;
    for (uint32_t s = 0; s < slots; s++)
        x->process_of[s] = w->first_reader[s] = OM_NONE;
    for (uint32_t p = 0; p < processes; p++)
        if (om_model__own_location(in->m, p) != OM_NONE)
            x->process_of[om_model__own_location(in->m, p)] = p;
    mark_steady(x, in->visible);
    return OM_OK;
}

static void drop_work(om_points *x)
{
    work *w = x->work;
    if (w == NULL)
        return;
    om_reading__close(&w->reading);
    om_rewrite__close(&w->rewrite);
    OM_FREE_ALL(x->heap, w->writers, w->assigned, w->first_reader, w->readers, w->asked, w->moving,
        w->moves_at, w->colour, w->point_reader, w->locations, w->location_seen, w->steady,
        w->in_guard);
    om_mentions__close(&w->mentions);
    om_standing__close(&w->standing);
    om_free(x->heap, w);
    x->work = NULL;
}

int om_points__open(om_points *x, const om_merge_input *in)
{
    *x = (om_points){ .in = in, .heap = in->m->heap };
    work *w = x->work = om_alloc(x->heap, 1, sizeof *w);
    if (w == NULL)
        return OM_ENOMEM;
    w->reading.m = in->m;
    w->mentions.m = w->standing.m = in->m;
    w->rewrite = (om_rewrite){ .from = in->m, .to = in->m, .instead = instead, .self = w };
    int rc = make_tables(x);
    if (rc == OM_OK)
        rc = note_writers(x);
    if (rc == OM_OK)
        rc = make_points(x);
    if (rc == OM_OK)
        rc = read_all(x);
    if (rc == OM_OK)
        rc = find_passed(x);
    drop_work(x);
    return rc;
}

void om_points__close(om_points *x)
{
    OM_FREE_ALL(x->heap, x->base, x->process_of, x->points, x->next, x->residue, x->conjuncts);
    *x = (om_points){ .heap = x->heap };
}
