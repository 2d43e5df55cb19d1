/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A candidate is live in a location if a path leads from there to a use and no transition on the
 * path writes all of it. The live locations of one candidate at a time are found by a backward
 * search from the uses. So the time is proportional to the regions in which candidates are live,
 * not to the product of candidates and locations.
 *
 * D1  A candidate that is live everywhere is never reset. So it is always sound to give up on one:
 *     when the searches together have taken most_steps() steps, or a list would take too much
 *     memory.
 */
#include "dead.h"

#include "mentions.h"

#include <assert.h>
#include <string.h>

enum { LONGEST = 64 /* maximum elements of an array that is a candidate */ };
/* Limit on the nodes rebuilt to find what is read from outside in a location: enough for all but
 * huge models. */
static const uint64_t MOST_REWRITTEN = 20000000;
/* Limit on the total number of locations in which candidates are read from outside. */
enum { MOST_SEEDS = 4000000 };

static uint64_t most_steps(const om_dead *d)
{
    return UINT64_C(50000000) + UINT64_C(256) * d->transitions;
}

/* Prepends a number to a list. */
static void add(om_dead *d, uint32_t *list, uint32_t number)
{
    if (!OM_ROOM(d->m->heap, d->items, &d->item_room, d->item_count + 1) ||
        d->item_count >= OM_NONE) {
        d->failed = true;
        return;
    }
    d->items[d->item_count] = (om_dead_item){ number, *list };
    *list = (uint32_t) d->item_count++;
}

/* ---- candidates ---- */

static bool may_be_candidate(const om_dead *d, uint32_t slot)
{
    const om_slot *s = om_model__slot(d->m, slot);
    return s->process != OM_NONE && s->length <= LONGEST && d->moves.readable[s->process] &&
           om_model_process(d->m, s->process)->location != slot;
}

/* By transition, the processes that it moves: the inverse of om_moves. */
typedef struct movers {
    uint32_t *first, *process; /* process[first[t]] .. process[first[t + 1] - 1] */
} movers;

static bool find_movers(const om_dead *d, movers *by)
{
    const size_t count = d->moves.first[d->processes];
    if (!OM_NEW(d->m->heap, by->first, (size_t) d->transitions + 2) ||
        !OM_NEW(d->m->heap, by->process, count + 1))
        return false;
    for (size_t i = 0; i < count; i++)
        by->first[d->moves.at[i].transition + 2]++;
    for (uint32_t t = 0; t < d->transitions; t++)
        by->first[t + 2] += by->first[t + 1];
    for (uint32_t p = 0; p < d->processes; p++)
        for (uint32_t i = d->moves.first[p]; i < d->moves.first[p + 1]; i++)
            by->process[by->first[d->moves.at[i].transition + 1]++] = p;
    assert(by->first[d->transitions] == count);
    return true;
}

static void drop_movers(const om_dead *d, movers *by)
{
    OM_FREE_ALL(d->m->heap, by->first, by->process);
}

/* Marks the processes that a transition moves, until the next call; OM_NONE: none. */
static void set_movers(om_dead *d, const movers *by, uint32_t t)
{
    d->stamp++;
    if (t == OM_NONE)
        return;
    for (uint32_t i = by->first[t]; i < by->first[t + 1]; i++)
        d->mover[by->process[i]] = d->stamp;
}

static bool moves(const om_dead *d, uint32_t process)
{
    return process != OM_NONE && d->mover[process] == d->stamp;
}

/* Called for a slot that an expression reads. If the slot's owner does not move, the read may
 * matter in some of the owner's locations. */
static void is_read(void *self, uint32_t slot)
{
    om_dead *d = self;
    const uint32_t owner = om_model__slot(d->m, slot)->process;
    if (d->number[slot] == OM_NONE || moves(d, owner) || d->noted[owner] == d->expressions)
        return;
    assert(owner != OM_NONE); /* a candidate has an owner */
    d->noted[owner] = d->expressions;
    if (!OM_ROOM(d->m->heap, d->outside, &d->outside_room, d->outside_count + 1)) {
        d->failed = true;
        return;
    }
    d->outside[d->outside_count++] = (om_dead_outside){ owner, 0 };
}

static void read_expr(om_dead *d, om_expr e)
{
    const size_t before = d->outside_count;
    d->expressions++;
    d->failed = d->failed || om_reading__begin(&d->reading) != OM_OK;
    if (!d->failed)
        om_reading__slots(&d->reading, e, is_read, d);
    for (size_t i = before; i < d->outside_count; i++)
        d->outside[i].e = e;
}

/* Excludes a slot if a transition assigns it without moving its owner. */
static int exclude_assigned(om_dead *d, const movers *by)
{
    for (uint32_t t = 0; t < d->transitions; t++) {
        const om_transition *tr = om_model_transition(d->m, t);
        set_movers(d, by, t);
        for (uint32_t i = 0; i < tr->assign_count; i++)
            if (!moves(d, om_model__slot(d->m, tr->assigns[i].slot)->process))
                d->number[tr->assigns[i].slot] = OM_NONE;
        if (om_context_stopped(d->m->ctx) != OM_OK)
            return om_context_stopped(d->m->ctx);
    }
    return OM_OK;
}

/* Marks nodes below which no candidate is read. They are not visited, because an expression may be
 * part of very many guards. Operands have lower numbers than their operators. */
static bool find_barren(om_dead *d)
{
    const size_t count = d->m->node_count;
    if (!OM_NEW(d->m->heap, d->barren, count + 1))
        return false;
    d->barren[0] = true;
    for (size_t e = 1; e < count; e++) {
        const om_node *n = &d->m->nodes[e];
        const bool slot = n->op == OM_OP_SLOT || n->op == OM_OP_ELEMENT;
        assert(n->op == OM_OP_CONST || ((slot || n->a < e) && (n->op == OM_OP_SLOT || n->b < e)));
        d->barren[e] =
            n->op == OM_OP_CONST || ((slot ? d->number[n->a] == OM_NONE : d->barren[n->a]) &&
                                        (n->op == OM_OP_SLOT || d->barren[n->b]));
    }
    d->reading.barren = d->barren;
    d->reading.barren_count = count;
    return true;
}

static int find_outside(om_dead *d, const movers *by, const om_expr *aps, uint32_t ap_count)
{
    set_movers(d, by, OM_NONE);
    for (uint32_t i = 0; i < ap_count; i++)
        read_expr(d, aps[i]);
    for (uint32_t i = 0; i < om_model_assertion_count(d->m); i++) {
        read_expr(d, om_model_assertion(d->m, i)->condition);
        if (om_context_stopped(d->m->ctx) != OM_OK)
            return om_context_stopped(d->m->ctx);
    }
    for (uint32_t t = 0; t < d->transitions; t++) {
        const om_transition *tr = om_model_transition(d->m, t);
        set_movers(d, by, t);
        read_expr(d, tr->guard);
        for (uint32_t i = 0; i < tr->assign_count; i++) {
            read_expr(d, tr->assigns[i].index);
            read_expr(d, tr->assigns[i].value);
        }
        if (om_context_stopped(d->m->ctx) != OM_OK)
            return om_context_stopped(d->m->ctx);
    }
    return d->failed ? OM_ENOMEM : OM_OK;
}

/* Sorts by process: a stable counting sort. */
static bool sort_outside(om_dead *d)
{
    om_dead_outside *sorted = om_alloc(d->m->heap, d->outside_count + 1, sizeof *sorted);
    d->outside_first = om_alloc(d->m->heap, (size_t) d->processes + 2, sizeof *d->outside_first);
    if (sorted == NULL || d->outside_first == NULL) {
        om_free(d->m->heap, sorted);
        return false;
    }
    for (size_t i = 0; i < d->outside_count; i++)
        d->outside_first[d->outside[i].process + 2]++;
    for (uint32_t p = 0; p < d->processes; p++)
        d->outside_first[p + 2] += d->outside_first[p + 1];
    for (size_t i = 0; i < d->outside_count; i++)
        sorted[d->outside_first[d->outside[i].process + 1]++] = d->outside[i];
    assert(d->outside_first[d->processes] == d->outside_count);
    om_free(d->m->heap, d->outside);
    d->outside = sorted;
    d->outside_room = d->outside_count + 1;
    return true;
}

/* Numbers the candidates process by process, in slot order. */
static void number_candidates(om_dead *d)
{
    for (uint32_t s = 0; s < d->slots; s++)
        if (d->number[s] != OM_NONE) {
            d->first[om_model__slot(d->m, s)->process + 2]++;
            d->count++;
        }
    for (uint32_t p = 0; p < d->processes; p++)
        d->first[p + 2] += d->first[p + 1];
    for (uint32_t s = 0; s < d->slots; s++)
        if (d->number[s] != OM_NONE) {
            d->number[s] = d->first[om_model__slot(d->m, s)->process + 1]++;
            d->slot_of[d->number[s]] = s;
        }
}

/* ---- uses and kills of a transition ---- */

/* The transition being summarised. Its reads of processes that do not move are in
 * find_outside(). */
typedef struct user {
    om_dead *d;
    uint32_t t;
} user;

static void is_used(void *self, uint32_t slot)
{
    const user *u = self;
    om_dead *d = u->d;
    const uint32_t c = d->number[slot];
    if (c == OM_NONE || d->killed[c] == d->stamp || d->used[c] == d->stamp ||
        !moves(d, om_model__slot(d->m, slot)->process))
        return;
    d->used[c] = d->stamp;
    add(d, &d->uses[c], u->t);
}

/* Returns true if candidate c is completely written after this assignment. `again`: the transition
 * has written part of it before. An assignment that takes out an element only moves the values of
 * the others: what is read afterwards was there before. */
static bool is_whole(om_dead *d, uint32_t c, const om_assign *a, bool again)
{
    const uint32_t length = om_model__slot(d->m, a->slot)->length;
    if (length == 0)
        return true;
    if (a->value == 0)
        return false;
    assert(length <= LONGEST);
    if (!again)
        d->elements[c] = 0;
    const om_node *i = om_model_node(d->m, a->index);
    if (i->op == OM_OP_CONST && i->value >= 0 && (uint32_t) i->value < length)
        d->elements[c] |= UINT64_C(1) << i->value;
    return d->elements[c] == UINT64_MAX >> (64 - length);
}

typedef struct standing {
    om_model *m;
    uint32_t slot;
    om_value location;
} standing;

static om_expr where_it_stands(void *self, om_expr e, om_node n)
{
    const standing *s = self;
    (void) e;
    return n.op == OM_OP_SLOT && n.a == s->slot ? om_expr_const(s->m, s->location) : 0;
}

/* What it takes to look at guards where the process stands */
typedef struct looking {
    const movers *by;
    om_rewrite rewrite;
    standing at;
    om_mentions mentions;
    uint32_t *written; /* by candidate: the stamp of the last transition that writes it */
} looking;

/* Sets *guard to what the guard of a transition reads where its process stands. A guard such as
 * `timeout` also reads what other transitions of the process read, in other locations. */
static int look(om_dead *d, looking *k, uint32_t t, om_expr *guard)
{
    const uint32_t first = k->by->first[t];
    if (k->by->first[t + 1] != first + 1 || !d->moves.readable[k->by->process[first]] ||
        d->rewritten > MOST_REWRITTEN)
        return OM_OK;
    k->at.slot = om_model_process(d->m, k->by->process[first])->location;
    const uint32_t from = om_move__source(d->m, *guard, k->at.slot);
    int rc = from == OM_NONE ? OM_OK : om_mentions__find(&k->mentions, *guard, k->at.slot);
    d->rewritten += k->mentions.visited;
    k->mentions.visited = 0;
    if (rc != OM_OK || from == OM_NONE || (k->mentions.count < 2 && !k->mentions.otherwise))
        return rc;
    k->at.location = (om_value) from;
    om_rewrite__again(&k->rewrite);
    rc = om_rewrite__expr(&k->rewrite, *guard, guard);
    d->rewritten += k->rewrite.visited;
    k->rewrite.visited = 0;
    return rc;
}

static int summarise(om_dead *d, looking *k, uint32_t t)
{
    const om_transition *tr = om_model_transition(d->m, t);
    uint32_t *written = k->written;
    user u = { d, t };
    om_expr guard = tr->guard;
    int rc = look(d, k, t, &guard);
    tr = om_model_transition(d->m, t);
    if (rc == OM_OK)
        rc = om_reading__begin(&d->reading);
    if (rc != OM_OK)
        return rc;
    om_reading__slots(&d->reading, guard, is_used, &u);
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        const om_assign *a = &tr->assigns[i];
        const uint32_t c = d->number[a->slot];
        om_reading__slots(&d->reading, a->index, is_used, &u);
        om_reading__slots(&d->reading, a->value, is_used, &u);
        if (c == OM_NONE)
            continue;
        const bool again = written[c] == d->stamp;
        if (!again)
            add(d, &d->writes[c], t);
        written[c] = d->stamp;
        if (is_whole(d, c, a, again) && d->killed[c] != d->stamp) {
            d->killed[c] = d->stamp;
            add(d, &d->kills[c], t);
        }
    }
    return d->failed ? OM_ENOMEM : om_context_stopped(d->m->ctx);
}

static int summarise_all(om_dead *d, const movers *by)
{
    looking k = { .by = by,
        .rewrite = { .from = d->m, .to = d->m, .instead = where_it_stands },
        .at = { .m = d->m },
        .mentions = { .m = d->m } };
    k.rewrite.self = &k.at;
    k.written = om_alloc(d->m->heap, (size_t) d->count + 1, sizeof *k.written);
    int rc = k.written == NULL ? OM_ENOMEM : OM_OK;
    for (uint32_t t = 0; t < d->transitions && rc == OM_OK; t++) {
        set_movers(d, by, t);
        rc = summarise(d, &k, t);
    }
    om_mentions__close(&k.mentions);
    om_rewrite__close(&k.rewrite);
    om_free(d->m->heap, k.written);
    return rc;
}

/* ---- reads from outside a process ---- */

/* An expression read while the process is in a location; OM_NONE: in any. */
typedef struct observed {
    om_dead *d;
    uint32_t process, location;
} observed;

static void is_observed(void *self, uint32_t slot)
{
    const observed *o = self;
    om_dead *d = o->d;
    const uint32_t c = d->number[slot];
    if (c == OM_NONE || om_model__slot(d->m, slot)->process != o->process || d->everywhere[c])
        return;
    if (o->location == OM_NONE || d->seed_count >= MOST_SEEDS) {
        d->everywhere[c] = true; /* D1 */
        return;
    }
    d->seed_count++;
    add(d, &d->seeds[c], o->location);
}

/* Marks the candidates that an expression reads while the process is in a location. */
static int observe_in(om_dead *d, om_rewrite *r, om_expr e, uint32_t process, uint32_t location)
{
    observed o = { d, process, location };
    standing *at = r->self;
    int rc = om_context_stopped(d->m->ctx);
    at->location = (om_value) location;
    om_rewrite__again(r);
    if (rc == OM_OK)
        rc = om_rewrite__expr(r, e, &e);
    if (rc == OM_OK)
        rc = om_reading__begin(&d->reading);
    if (rc == OM_OK)
        om_reading__slots(&d->reading, e, is_observed, &o);
    d->rewritten += r->visited;
    r->visited = 0;
    return rc;
}

/* Marks the candidates that an expression reads, for all locations of the process. */
static int observe_anywhere(om_dead *d, om_expr e, uint32_t process)
{
    observed o = { d, process, OM_NONE };
    int rc = om_context_stopped(d->m->ctx);
    if (rc == OM_OK)
        rc = om_reading__begin(&d->reading);
    if (rc == OM_OK)
        om_reading__slots(&d->reading, e, is_observed, &o);
    return rc;
}

static void see_any(void *self, uint32_t slot)
{
    observed *o = self;
    const uint32_t c = o->d->number[slot];
    if (c != OM_NONE && om_model__slot(o->d->m, slot)->process == o->process)
        o->location = 0; /* a candidate is read */
}

/* An expression is the same in all locations that it does not mention. Sets *reads if it reads any
 * candidate of the process in these. */
static int reads_elsewhere(
    om_dead *d, om_rewrite *r, om_expr e, uint32_t process, uint32_t unmentioned, bool *reads)
{
    observed o = { d, process, OM_NONE };
    standing *at = r->self;
    at->location = (om_value) unmentioned;
    om_rewrite__again(r);
    int rc = om_rewrite__expr(r, e, &e);
    if (rc == OM_OK)
        rc = om_reading__begin(&d->reading);
    if (rc == OM_OK)
        om_reading__slots(&d->reading, e, see_any, &o);
    *reads = o.location != OM_NONE;
    d->rewritten += r->visited;
    r->visited = 0;
    return rc;
}

/* Marks, for each location, the candidates that an expression reads there without the process
 * moving. Subexpressions for other locations are ignored unless that would take too long to find
 * out. */
static int observe(om_dead *d, om_rewrite *r, om_mentions *x, om_expr e, uint32_t process)
{
    const standing *at = r->self;
    const uint32_t locations = om_model__slot(d->m, at->slot)->enumerators;
    uint32_t other = 0; /* the first location that is not mentioned */
    int rc = d->rewritten > MOST_REWRITTEN ? OM_OK : om_mentions__find(x, e, at->slot);
    d->rewritten += x->visited;
    x->visited = 0;
    if (rc == OM_OK && (d->rewritten > MOST_REWRITTEN || (x->count == 0 && !x->otherwise)))
        return observe_anywhere(d, e, process);
    while (other < x->count && x->at[other] == (om_value) other)
        other++;
    bool all = x->otherwise || other >= locations;
    if (rc == OM_OK && !all)
        rc = reads_elsewhere(d, r, e, process, other, &all);
    const size_t count = all ? locations : x->count;
    for (size_t i = 0; i < count && rc == OM_OK; i++) {
        const om_value l = all ? (om_value) i : x->at[i];
        if (d->rewritten > MOST_REWRITTEN)
            return observe_anywhere(d, e, process);
        if (l >= 0 && (om_uvalue) l < locations)
            rc = observe_in(d, r, e, process, (uint32_t) l);
    }
    return rc;
}

static int observe_all(om_dead *d, uint32_t process)
{
    standing at = { d->m, om_model_process(d->m, process)->location, 0 };
    om_rewrite r = { .from = d->m, .to = d->m, .instead = where_it_stands, .self = &at };
    om_mentions x = { .m = d->m };
    int rc = OM_OK;
    for (uint32_t i = d->outside_first[process]; i < d->outside_first[process + 1] && rc == OM_OK;
         i++)
        rc = observe(d, &r, &x, d->outside[i].e, process);
    om_mentions__close(&x);
    om_rewrite__close(&r);
    return rc != OM_OK ? rc : d->failed ? OM_ENOMEM : OM_OK;
}

/* ---- live locations of a candidate ---- */

static void link_move(om_dead *d, uint32_t *list, uint32_t t)
{
    assert(d->link_count < d->link_room);
    d->links[d->link_count] = (om_dead_item){ t, *list };
    *list = (uint32_t) d->link_count++;
}

/* Reserves memory for this many locations; lay_graph() initialises it. */
static bool make_room(om_dead *d, uint32_t locations, uint32_t count)
{
    uint32_t **tables[] = { &d->incoming, &d->outgoing, &d->live, &d->queue };
    for (int i = 0; i < 4; i++) {
        if (!OM_ROOM(d->m->heap, *tables[i], &d->location_room[i], (size_t) locations + 1))
            return false;
    }
    return OM_ROOM(d->m->heap, d->links, &d->link_room, 2 * (size_t) count + 1);
}

/* Builds the graph of a process: links by location, from[] and to[] by transition. to[] is the
 * location after the transition, or OM_NONE if it is unknown. */
static int lay_graph(om_dead *d, uint32_t process, uint32_t locations)
{
    const om_move *first = d->moves.at + d->moves.first[process];
    const uint32_t count = d->moves.first[process + 1] - d->moves.first[process];
    if (!make_room(d, locations, count))
        return OM_ENOMEM;
    d->link_count = 0;
    for (uint32_t l = 0; l < locations; l++) {
        d->incoming[l] = d->outgoing[l] = OM_NONE;
        d->live[l] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = first[i].transition;
        assert(first[i].to == OM_MOVE_STAYS || first[i].to < locations); /* it is readable */
        assert(first[i].from == OM_NONE || first[i].from < locations);
        d->from[t] = first[i].from;
        d->to[t] = first[i].to == OM_MOVE_STAYS ? first[i].from : first[i].to;
        d->wanted[t] = OM_NONE;
        if (first[i].to != OM_MOVE_STAYS)
            link_move(d, &d->incoming[first[i].to], t);
        if (first[i].from != OM_NONE)
            link_move(d, &d->outgoing[first[i].from], t);
    }
    return om_context_stopped(d->m->ctx);
}

/* The live locations of one candidate: the first `count` of queue[]. */
typedef struct region {
    uint32_t count;
    uint32_t stamp; /* of live[], killing[] and writing[] */
    bool everywhere;
} region;

static void enliven(om_dead *d, region *r, uint32_t location)
{
    if (location == OM_NONE)
        r->everywhere = true;
    else if (d->live[location] != r->stamp) {
        d->live[location] = r->stamp;
        d->queue[r->count++] = location;
    }
}

static int find_region(om_dead *d, region *r, uint32_t c)
{
    int rc = OM_OK;
    r->everywhere = d->everywhere[c];
    if (r->everywhere)
        return OM_OK;
    for (uint32_t i = d->kills[c]; i != OM_NONE; i = d->items[i].next)
        d->killing[d->items[i].number] = r->stamp;
    for (uint32_t i = d->uses[c]; i != OM_NONE; i = d->items[i].next)
        enliven(d, r, d->from[d->items[i].number]);
    for (uint32_t i = d->seeds[c]; i != OM_NONE; i = d->items[i].next)
        enliven(d, r, d->items[i].number);
    for (uint32_t i = 0; i < r->count && !r->everywhere && rc == OM_OK; i++) {
        for (uint32_t k = d->incoming[d->queue[i]]; k != OM_NONE; k = d->links[k].next, d->steps++)
            if (d->killing[d->links[k].number] != r->stamp)
                enliven(d, r, d->from[d->links[k].number]);
        r->everywhere = r->everywhere || d->steps > most_steps(d); /* D1 */
        rc = om_context_stopped(d->m->ctx);
    }
    return rc;
}

/* ---- resets ---- */

static bool is_dead(const om_dead *d, const region *r, uint32_t location)
{
    return d->live[location] != r->stamp;
}

/* A transition resets a candidate that is dead at its target if it writes the candidate, or if the
 * candidate was live before. A candidate that was dead before and is not written already has its
 * initial value. */
static int want_resets(om_dead *d, const region *r, uint32_t c, const uint32_t *loose, size_t count)
{
    const uint32_t slot = d->slot_of[c];
    int rc = OM_OK;
    for (uint32_t i = d->writes[c]; i != OM_NONE; i = d->items[i].next) {
        const uint32_t t = d->items[i].number;
        d->writing[t] = r->stamp;
        if (d->to[t] != OM_NONE && is_dead(d, r, d->to[t]))
            add(d, &d->wanted[t], slot);
    }
    for (uint32_t i = 0; i < r->count && rc == OM_OK; i++) {
        for (uint32_t k = d->outgoing[d->queue[i]]; k != OM_NONE;
             k = d->links[k].next, d->steps++) {
            const uint32_t t = d->links[k].number;
            if (d->writing[t] != r->stamp && is_dead(d, r, d->to[t]))
                add(d, &d->wanted[t], slot);
        }
        rc = om_context_stopped(d->m->ctx);
    }
    for (size_t i = 0; i < count; i++, d->steps++)
        if (d->writing[loose[i]] != r->stamp && is_dead(d, r, d->to[loose[i]]))
            add(d, &d->wanted[loose[i]], slot);
    return rc != OM_OK ? rc : d->failed ? OM_ENOMEM : OM_OK;
}

/* Returns the transitions that may start in any location and have a known target, *count of them.
 * The caller frees the result. */
static uint32_t *find_loose(const om_dead *d, uint32_t process, size_t *count)
{
    uint32_t *loose = NULL;
    for (int pass = 0; pass < 2; pass++) {
        *count = 0;
        for (uint32_t i = d->moves.first[process]; i < d->moves.first[process + 1]; i++) {
            const om_move *move = &d->moves.at[i];
            if (move->from != OM_NONE || move->to == OM_MOVE_STAYS)
                continue;
            if (loose != NULL)
                loose[*count] = move->transition;
            ++*count;
        }
        if (pass == 0 && (loose = om_alloc(d->m->heap, *count + 1, sizeof *loose)) == NULL)
            return NULL;
    }
    return loose;
}

/* Visits candidates in descending order, because each is prepended to wanted[]. */
int om_dead__solve(om_dead *d, uint32_t process)
{
    const uint32_t from = d->first[process], to = d->first[process + 1];
    if (from == to)
        return OM_OK;
    assert(d->moves.readable[process] && to <= d->count);
    const uint32_t location = om_model_process(d->m, process)->location;
    size_t loose_count = 0;
    uint32_t *loose = find_loose(d, process, &loose_count);
    int rc = loose == NULL ? OM_ENOMEM : observe_all(d, process);
    if (rc == OM_OK)
        rc = lay_graph(d, process, om_model__slot(d->m, location)->enumerators);
    for (uint32_t c = to; c-- > from && rc == OM_OK;) {
        region r = { .stamp = ++d->stamp };
        rc = find_region(d, &r, c);
        if (rc == OM_OK && !r.everywhere)
            rc = want_resets(d, &r, c, loose, loose_count);
    }
    om_free(d->m->heap, loose);
    return rc;
}

/* ---- opening and closing ---- */

static bool make_tables(om_dead *d)
{
    const om_heap *heap = d->m->heap;
    const size_t slots = (size_t) d->slots + 1, transitions = (size_t) d->transitions + 1,
                 processes = (size_t) d->processes + 2;
    return OM_NEW(heap, d->number, slots) && OM_NEW(heap, d->slot_of, slots) &&
           OM_NEW(heap, d->first, processes) && OM_NEW(heap, d->mover, processes) &&
           OM_NEW(heap, d->noted, processes) && OM_NEW(heap, d->wanted, transitions) &&
           OM_NEW(heap, d->from, transitions) && OM_NEW(heap, d->to, transitions) &&
           OM_NEW(heap, d->killing, transitions) && OM_NEW(heap, d->writing, transitions);
}

static bool make_lists(om_dead *d)
{
    const om_heap *heap = d->m->heap;
    const size_t count = (size_t) d->count + 1;
    if (!OM_NEW(heap, d->uses, count) || !OM_NEW(heap, d->kills, count) ||
        !OM_NEW(heap, d->writes, count) || !OM_NEW(heap, d->seeds, count) ||
        !OM_NEW(heap, d->used, count) || !OM_NEW(heap, d->killed, count) ||
        !OM_NEW(heap, d->elements, count) || !OM_NEW(heap, d->everywhere, count))
        return false;
    for (uint32_t c = 0; c < d->count; c++)
        d->uses[c] = d->kills[c] = d->writes[c] = d->seeds[c] = OM_NONE;
    return true;
}

static int find_all(om_dead *d, const movers *by, const om_expr *aps, uint32_t ap_count)
{
    for (uint32_t s = 0; s < d->slots; s++)
        d->number[s] = may_be_candidate(d, s) ? 0 : OM_NONE;
    int rc = exclude_assigned(d, by);
    if (rc == OM_OK && !find_barren(d))
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = find_outside(d, by, aps, ap_count);
    if (rc != OM_OK)
        return rc;
    number_candidates(d);
    if (!sort_outside(d) || !make_lists(d))
        return OM_ENOMEM;
    return d->count == 0 ? OM_OK : summarise_all(d, by);
}

int om_dead__open(om_dead *d, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    movers by = { NULL, NULL };
    *d = (om_dead){ .m = m,
        .transitions = om_model_transition_count(m),
        .slots = om_model_slot_count(m),
        .processes = om_model_process_count(m),
        .reading = { .m = m } };
    int rc = om_moves__open(&d->moves, m);
    if (rc == OM_OK && (!make_tables(d) || !find_movers(d, &by)))
        rc = OM_ENOMEM;
    if (rc == OM_OK)
        rc = find_all(d, &by, aps, ap_count);
    drop_movers(d, &by);
    return rc;
}

void om_dead__close(om_dead *d)
{
    void *const tables[] = { d->number, d->slot_of, d->first, d->uses, d->kills, d->writes,
        d->seeds, d->everywhere, d->items, d->outside, d->outside_first, d->wanted, d->mover,
        d->noted, d->used, d->killed, d->elements, d->from, d->to, d->killing, d->writing,
        d->incoming, d->outgoing, d->live, d->queue, d->links, d->barren };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        om_free(d->m->heap, tables[i]);
    om_reading__close(&d->reading);
    om_moves__close(&d->moves);
}
