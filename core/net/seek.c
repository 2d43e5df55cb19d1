/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Best-first search for a marking.
 *
 *  K1  nodes[0] is the initial marking; the parent of another node has a smaller number and is
 *      expanded.
 *  K2  open[] is a heap: no entry comes before its parent.
 *  K3  An expanded node has a row of `rows`, which holds its marking.
 *  K4  seen[] has the numbers of nodes, plus 1. Two nodes have different hashes or, if the search
 *      is stubborn, different markings.
 */
#include "relaxed.h"
#include "stubborn.h"

#include <assert.h>
#include <string.h>

enum {
    DEFAULT_BYTES = 256 << 20,
    LOOK_WORK = 1 << 14, /* arcs and terms between two reads of the clock */
    STRAY = 16           /* with some seeds, one node of this many is chosen at random */
};

/* A marking that was seen */
typedef struct node {
    om_wide distance;            /* from the goal: see om_net_goal__distance() */
    om_wide relaxed;             /* the relaxed distance, or 0 */
    uint64_t hash;               /* of the marking */
    uint32_t parent, transition; /* OM_NONE for the initial marking */
    uint32_t row;                /* OM_NONE: not expanded */
} node;

/* A node that is not expanded */
typedef struct entry {
    om_wide distance; /* the relaxed one, if it is computed and the goal is a predicate */
    uint64_t tie;     /* the smaller first, at the same distance */
    uint32_t node;
} entry;

/* What a seed decides */
typedef struct manner {
    bool relaxed;  /* orders nodes by the relaxed distance */
    bool any;      /* takes any node of the same distance, not the newest */
    bool strays;   /* sometimes takes any node */
    bool stubborn; /* fires stubborn sets, which the net has */
} manner;

typedef struct seeking {
    const om_net *net;
    const om_heap *heap;
    om_seek *seek;
    om_net_firing firing;
    om_random random;
    manner manner;
    om_net_relaxed relaxed;   /* if manner.relaxed */
    om_net_stubborn stubborn; /* if manner.stubborn */
    node *nodes;
    entry *open;
    om_value *rows, *before;
    uint32_t *seen;   /* the nodes by the hashes of their markings, open addressing; 0: free */
    uint8_t *matters; /* by transition: it changes the distance */
    size_t node_count, node_room, open_count, open_room, row_count, row_room, seen_size;
    uint64_t hash; /* of the firing's marking */
    uint64_t work, looked_at;
    uint32_t best;      /* the node that is nearest to the goal */
    uint32_t goal_size; /* the number of places that the distance depends on */
    uint64_t arcs;      /* of the net */
    bool over;
    bool partial; /* a firing was left out, because a number of tokens would be too large */
    int rc;
} seeking;

/* ---- markings that were seen ---- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The hash of a marking is the sum of those of its places. */
static uint64_t hash_of(uint32_t place, om_value tokens)
{
    return mix(((uint64_t) place << 32 | (uint32_t) tokens) + UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t hash_all(const om_net *net, const om_value *marking)
{
    uint64_t hash = 0;
    for (uint32_t p = 0; p < net->place_count; p++)
        hash += hash_of(p, marking[p]);
    return hash;
}

static const om_value *row(const seeking *s, uint32_t number)
{
    return s->rows + (size_t) number * s->net->place_count;
}

static bool are_equal(const om_value *a, const om_value *b, uint32_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* Returns true if the node's marking is the firing's. */
static bool has_marking(seeking *s, const node *n)
{
    const om_value *now = s->firing.marking;
    const uint32_t places = s->net->place_count;
    uint32_t next = 0;
    s->work += places / 8;
    if (n->row != OM_NONE)
        return are_equal(row(s, n->row), now, places);
    const om_value *before = row(s, s->nodes[n->parent].row); /* K1, K3 */
    om_net_arc_walk a = { .take = 0 };
    while (om_net_arc_walk__step(&s->net->transitions[n->transition], &a)) {
        if (!are_equal(before + next, now + next, a.place - next) ||
            om_net_arc_walk__after(&a, before[a.place]) != now[a.place])
            return false;
        next = a.place + 1;
    }
    return are_equal(before + next, now + next, places - next);
}

static size_t slot_of(const seeking *s, uint64_t hash)
{
    return mix(hash) & (s->seen_size - 1);
}

static bool grow_seen(seeking *s)
{
    enum { FIRST = 1 << 12 };
    const size_t size = s->seen_size == 0 ? FIRST : 2 * s->seen_size;
    om_free(s->heap, s->seen);
    s->seen = om_alloc(s->heap, size, sizeof *s->seen);
    s->seen_size = s->seen == NULL ? 0 : size;
    for (size_t n = 0; s->seen != NULL && n < s->node_count; n++) {
        size_t i = slot_of(s, s->nodes[n].hash);
        while (s->seen[i] != 0)
            i = (i + 1) & (size - 1);
        s->seen[i] = (uint32_t) n + 1;
    }
    return s->seen != NULL;
}

/* Returns true if the firing's marking, which has this hash, is new; the next node must be its. */
static bool is_fresh(seeking *s, uint64_t hash)
{
    if (s->node_count * 2 >= s->seen_size && !grow_seen(s)) {
        s->rc = om_fail_memory(s->net->ctx);
        return false;
    }
    size_t i = slot_of(s, hash);
    for (; s->seen[i] != 0; i = (i + 1) & (s->seen_size - 1)) {
        const node *n = &s->nodes[s->seen[i] - 1];
        if (n->hash == hash && (!s->manner.stubborn || has_marking(s, n)))
            return false;
    }
    s->seen[i] = (uint32_t) s->node_count + 1;
    return true;
}

/* ---- nodes that are not expanded ---- */

static bool comes_before(const entry *a, const entry *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->tie < b->tie;
}

static void sift_up(entry *open, size_t i)
{
    const entry moved = open[i];
    for (; i > 0 && comes_before(&moved, &open[(i - 1) / 2]); i = (i - 1) / 2)
        open[i] = open[(i - 1) / 2];
    open[i] = moved;
}

static void sift_down(entry *open, size_t count, size_t i)
{
    const entry moved = open[i];
    for (size_t k = 2 * i + 1; k < count; k = 2 * i + 1) {
        k += k + 1 < count && comes_before(&open[k + 1], &open[k]);
        if (!comes_before(&open[k], &moved))
            break;
        open[i] = open[k];
        i = k;
    }
    open[i] = moved;
}

static entry entry_of(seeking *s, const node *n)
{
    /* So many nodes fit the memory. */
    const uint64_t serial = UINT32_MAX - s->node_count,
                   tie = s->manner.any ? om_random_next(&s->random) >> 32 : serial;
    entry e = { .distance = n->distance, .tie = tie, .node = (uint32_t) s->node_count };
    if (s->manner.relaxed && s->seek->goal.predicate != NULL)
        e.distance = n->relaxed;
    else if (s->manner.relaxed)
        e.tie |= (uint64_t) (n->relaxed < UINT32_MAX ? n->relaxed : UINT32_MAX) << 32;
    return e;
}

/* Adds a node; hopeless: no goal can be reached from it, so it is not expanded. */
static void push(seeking *s, node n, bool hopeless)
{
    if (s->node_count == UINT32_MAX - 1 ||
        !OM_ROOM(s->heap, s->nodes, &s->node_room, s->node_count + 1) ||
        !OM_ROOM(s->heap, s->open, &s->open_room, s->open_count + 1)) {
        s->rc = om_fail_memory(s->net->ctx);
        return;
    }
    assert(n.parent == OM_NONE || s->nodes[n.parent].row != OM_NONE); /* K1 */
    s->open[s->open_count] = entry_of(s, &n);
    s->nodes[s->node_count++] = n;
    if (!hopeless)
        sift_up(s->open, s->open_count++);
}

/* Removes the first node of the order or, sometimes, any. */
static uint32_t pop(seeking *s)
{
    size_t i = 0;
    assert(s->open_count > 0);
    if (s->manner.strays && om_random_below(&s->random, STRAY) == 0)
        i = om_random_below(&s->random, s->open_count);
    const uint32_t n = s->open[i].node;
    s->open[i] = s->open[--s->open_count];
    if (i < s->open_count) {
        sift_down(s->open, s->open_count, i);
        sift_up(s->open, i);
    }
    return n;
}

/* ---- expansion ---- */

/* Counts work. Returns false if the search is over. */
static bool go_on(seeking *s, uint64_t work)
{
    s->work += work;
    if (s->work - s->looked_at < LOOK_WORK)
        return !s->over && s->rc == OM_OK;
    s->looked_at = s->work;
    if (s->rc == OM_OK)
        s->rc = om_context_stopped(s->net->ctx);
    s->over = s->over || om_clock_ns() >= s->seek->until_ns;
    return !s->over && s->rc == OM_OK;
}

/* Sets the firing's marking to that of the node. Returns false if it cannot be reached. */
static bool enter(seeking *s, const node *n)
{
    if (n->parent == OM_NONE)
        return true;
    assert(s->nodes[n->parent].row != OM_NONE); /* K1, K3 */
    om_net_firing__move(&s->firing, row(s, s->nodes[n->parent].row));
    s->work += s->net->place_count;
    return om_net_firing__fire(&s->firing, n->transition);
}

/* Copies the firing's marking to a row for the node. */
static bool keep_row(seeking *s, node *n)
{
    const size_t places = s->net->place_count;
    if (!OM_ROOM(s->heap, s->rows, &s->row_room, (s->row_count + 1) * places)) {
        s->rc = om_fail_memory(s->net->ctx);
        return false;
    }
    memcpy(s->rows + s->row_count * places, s->firing.marking, places * sizeof *s->rows);
    n->row = (uint32_t) s->row_count++;
    return true;
}

/* Computes the relaxed distance of the firing's marking, if nodes are ordered by it. */
static void relax(seeking *s, node *n)
{
    if (!s->manner.relaxed)
        return;
    n->relaxed = om_net_relaxed__distance(&s->relaxed, &s->seek->goal, s->firing.marking);
    s->work += s->arcs;
    if (n->relaxed < 0)
        s->rc = om_fail_memory(s->net->ctx);
}

/* Makes a node of the marking behind the firing of a transition, if it is new. */
static void look_behind(seeking *s, uint32_t from, uint32_t transition)
{
    const om_net_transition *t = &s->net->transitions[transition];
    om_value *marking = s->firing.marking;
    uint64_t hash = s->hash;
    node n = { .distance = s->nodes[from].distance,
        .parent = from,
        .transition = transition,
        .row = OM_NONE };
    if (!om_net_goal__try(t, marking, s->before)) {
        s->partial = true;
        return;
    }
    om_net_arc_walk a = { .take = 0 };
    while (om_net_arc_walk__step(t, &a))
        hash += hash_of(a.place, marking[a.place]) - hash_of(a.place, s->before[a.place]);
    const bool fresh = is_fresh(s, hash);
    n.hash = hash;
    if (fresh && s->matters[transition]) {
        n.distance = om_net_goal__distance(&s->seek->goal, marking);
        s->work += s->goal_size;
    }
    if (fresh)
        relax(s, &n);
    om_net_goal__undo(t, marking, s->before);
    /* From a marking at that relaxed distance, no other is nearer to the goal than this one. */
    if (!fresh || s->rc != OM_OK)
        return;
    push(s, n, n.relaxed >= OM_NET_UNREACHABLE && n.distance >= s->nodes[s->best].distance);
    if (s->rc == OM_OK && n.distance < s->nodes[s->best].distance)
        s->best = (uint32_t) s->node_count - 1;
}

static bool is_met(const seeking *s, const node *n)
{
    const om_walk_goal *g = &s->seek->goal;
    if (s->seek->deadlock || g->predicate != NULL)
        return n->distance <= 0;
    return -n->distance >= g->enough;
}

/* Returns the enabled transitions that have to be fired, *count of them. */
static const uint32_t *choose(seeking *s, uint32_t *count)
{
    const uint64_t work = s->stubborn.work;
    if (!s->manner.stubborn)
        return s->firing.enabled;
    const uint32_t *chosen = om_net_stubborn__find(&s->stubborn, count);
    s->work += s->stubborn.work - work;
    return chosen;
}

static void expand(seeking *s, uint32_t number)
{
    node n = s->nodes[number];
    if (!enter(s, &n) || !keep_row(s, &n))
        return;
    s->hash = hash_all(s->net, s->firing.marking);
    s->work += s->net->place_count;
    if (s->seek->deadlock)
        n.distance = s->firing.enabled_count;
    s->nodes[number] = n;
    if (n.distance < s->nodes[s->best].distance)
        s->best = number;
    s->seek->markings++;
    if (s->firing.enabled_count == 0 || is_met(s, &s->nodes[s->best]))
        return;
    /* A random start varies the order of the newest. */
    uint32_t count = s->firing.enabled_count;
    const uint32_t first = (uint32_t) om_random_below(&s->random, count);
    const uint32_t *enabled = choose(s, &count);
    for (uint32_t i = 0; i < count && !is_met(s, &s->nodes[s->best]); i++) {
        const uint32_t transition = enabled[(first + i) % count];
        const om_net_transition *t = &s->net->transitions[transition];
        if (!go_on(s, (uint64_t) t->take_count + t->give_count + 1))
            return;
        look_behind(s, number, transition);
    }
}

static size_t bytes_of(const seeking *s)
{
    return s->row_room * sizeof *s->rows + s->node_room * sizeof *s->nodes +
           s->open_room * sizeof *s->open + s->seen_size * sizeof *s->seen;
}

static void seek_all(seeking *s)
{
    const size_t most = s->seek->memory_bytes == 0 ? DEFAULT_BYTES : s->seek->memory_bytes;
    node first = { .parent = OM_NONE, .transition = OM_NONE, .row = OM_NONE };
    first.distance = s->seek->deadlock ? s->firing.enabled_count
                                       : om_net_goal__distance(&s->seek->goal, s->firing.marking);
    first.hash = hash_all(s->net, s->firing.marking);
    relax(s, &first);
    if (s->rc != OM_OK || !is_fresh(s, first.hash))
        return;
    push(s, first, false);
    while (s->open_count > 0 && go_on(s, 1) && !is_met(s, &s->nodes[s->best]) && bytes_of(s) < most)
        expand(s, pop(s));
    s->seek->exhausted = s->rc == OM_OK && !s->over && s->open_count == 0;
    s->seek->proved =
        s->seek->exhausted && s->manner.stubborn && !s->partial && !is_met(s, &s->nodes[s->best]);
}

/* ---- results ---- */

/* Makes the list of transitions to the best node. */
static int make_path(seeking *s)
{
    size_t count = 0;
    for (uint32_t n = s->best; s->nodes[n].parent != OM_NONE; n = s->nodes[n].parent)
        count++;
    if (!OM_NEW(s->heap, s->seek->transitions, count + 1))
        return om_fail_memory(s->net->ctx);
    s->seek->transition_count = count;
    for (uint32_t n = s->best; count > 0; n = s->nodes[n].parent)
        s->seek->transitions[--count] = s->nodes[n].transition;
    return OM_OK;
}

/* Replays the path and returns true if its last marking is as near to the goal as the search
 * says. */
static bool is_right(seeking *s, om_wide distance)
{
    const om_net *net = s->net;
    const om_seek *seek = s->seek;
    const om_walk_goal *g = &seek->goal;
    bool right = om_net_firing__replay(net, seek->transitions, seek->transition_count, s->before);
    if (right && seek->deadlock)
        for (uint32_t t = 0; right && g->met && t < net->transition_count; t++)
            right = !om_net__can_fire(&net->transitions[t], s->before);
    else if (right && g->predicate != NULL)
        right = om_predicate_holds(g->predicate, s->before) == g->met;
    else if (right)
        right = om_net_goal__sum(g->terms, g->term_count, s->before) == -distance;
    return right;
}

static int take_result(seeking *s)
{
    om_walk_goal *g = &s->seek->goal;
    const node *best = &s->nodes[s->best];
    const bool sum = !s->seek->deadlock && g->predicate == NULL;
    g->met = is_met(s, best);
    if (!g->met && !sum)
        return OM_OK;
    if (sum)
        g->value = -best->distance;
    const int rc = make_path(s);
    if (rc != OM_OK || is_right(s, best->distance))
        return rc;
    g->met = false;
    return om_fail(s->net->ctx, OM_EINTERNAL, NULL,
        "a search found a marking that its transitions do not reach");
}

/* Finds the transitions that change a place that the distance depends on. */
static int find_matters(seeking *s)
{
    const om_net *net = s->net;
    uint8_t *seen = om_alloc(s->heap, (size_t) net->place_count + 1, sizeof *seen);
    if (seen == NULL || !OM_NEW(s->heap, s->matters, (size_t) net->transition_count + 1)) {
        om_free(s->heap, seen);
        return om_fail_memory(net->ctx);
    }
    if (!s->seek->deadlock)
        om_net_goal__places(&s->seek->goal, seen);
    for (uint32_t p = 0; p < net->place_count; p++)
        s->goal_size += seen[p];
    for (uint32_t t = 0; t < net->transition_count; t++) {
        om_net_arc_walk a = { .take = 0 };
        s->arcs += (uint64_t) net->transitions[t].take_count + net->transitions[t].give_count;
        while (!s->matters[t] && om_net_arc_walk__step(&net->transitions[t], &a))
            s->matters[t] = seen[a.place] && (a.resets || a.takes != a.gives);
    }
    om_free(s->heap, seen);
    return OM_OK;
}

int om_net_seek(const om_net *net, om_seek *seek)
{
    seeking s = { .net = net,
        .heap = net->region.heap,
        .seek = seek,
        .random = { seek->seed },
        .manner = { .relaxed = seek->seed % 2 == 0 && !seek->deadlock,
            .any = seek->seed / 2 % 2 != 0,
            .strays = seek->seed / 4 % 2 != 0,
            .stubborn = seek->stubborn && om_net__is_plain(net) } };
    seek->goal.met = false;
    seek->goal.value = INT64_MIN;
    seek->transitions = NULL;
    seek->transition_count = 0;
    seek->markings = 0;
    seek->exhausted = seek->proved = false;
    int rc = om_net_firing__open(&s.firing, net);
    if (rc == OM_OK && !OM_NEW(s.heap, s.before, (size_t) net->place_count + 1))
        rc = om_fail_memory(net->ctx);
    if (rc == OM_OK)
        rc = find_matters(&s);
    if (rc == OM_OK && s.manner.relaxed)
        rc = om_net_relaxed__open(&s.relaxed, &s.firing);
    if (rc == OM_OK && s.manner.stubborn)
        rc = om_net_stubborn__open(&s.stubborn, &s.firing, seek);
    if (rc == OM_OK) {
        seek_all(&s);
        rc = s.rc == OM_OK ? take_result(&s) : s.rc;
    }
    om_net_relaxed__close(&s.relaxed);
    om_net_stubborn__close(&s.stubborn);
    om_net_firing__close(&s.firing);
    OM_FREE_ALL(s.heap, s.nodes, s.open, s.rows, s.before, s.seen, s.matters);
    if (rc != OM_OK) {
        om_free(s.heap, seek->transitions);
        seek->transitions = NULL;
        seek->transition_count = 0;
    }
    return rc;
}
