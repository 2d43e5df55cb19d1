/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes that workers share: see scc_sets.h. The union-find is that of unionfind.c (linking by a
 * random priority, find halves paths); in addition a set has the workers that are in it, and a
 * cyclic list of its states, after Bloemen et al. 2016, section 3.
 *
 * A node is two 64-bit words. Fresh memory is all zero: a set of its own, without workers, on a
 * list of its own, to be explored.
 *
 *   up    bit 63 DEAD, bit 62 LINKED, bit 61 LOCKED; then
 *         of a linked node: bits 0 to 39 its parent
 *         of a root:        bits 0 to 43 workers in the set, bits 44 to 59 its marks
 *   next  bit 63 DONE, bit 62 HELD; bits 0 to 40 the next node of the list plus one, 0: itself
 *
 * If the automaton has more than 16 acceptance sets, marks are in a third word instead, those of a
 * set in its root's.
 *
 * Uniting the sets of two roots x and y, x of lower priority (an order on ids), is
 *     1. lock x            up[x] from root to locked root, by compare-and-swap
 *     2. give              its workers and marks are added to y's root
 *     3. hold              one node that is not done in the list of each
 *     4. link              up[x] := y, which unlocks it
 *     5. splice            the next of the two nodes are exchanged, which releases them
 * A thread that needs a root waits while it is locked, for a few loads and stores. So steps 2 to 4
 * appear as one, and a worker that finds itself in a set because of step 2 finds its own states in
 * it, too.
 *
 * Invariants:
 *  C1  A node that is linked never becomes a root again, and its parent has a higher priority: so
 *      there are no cycles, and every path ends.
 *  C2  A thread that waits while it holds something waits for something of a higher priority, so
 *      there is no deadlock: with x locked, in step 2 for a root above it; in step 3 for a node in
 *      the list of x (held there only by a thread that united another set with x, and is past its
 *      step 3), then for one in the list of the set of y, held by a thread past step 3, or in step
 *      3 with a root that is the root of that set. A locked root is always linked in the end.
 *  C3  DEAD is never cleared, and dead(x) implies dead(parent(x)): a set is dead if its root is,
 *      and a dead node proves it.
 *  C4  Marks and workers of a set are those of its root: they are only added, and step 2 carries
 *      over all that x had, because no thread adds to a locked root. (Marks in words of their own:
 *      a thread that has added some checks whether the root is still an unlocked one, and otherwise
 *      adds them again to the new root; a thread that links reads them after the lock. All of these
 *      accesses are sequentially consistent: either the one sees the lock, or the other the marks.)
 *  C5  The lists. Consider all nodes of a set, done or not, in one cyclic order: `next` of a node
 *      skips only done ones. Done is permanent, a node that is not done or is held is never
 *      skipped, and nodes are only inserted after a held node, so this stays true whatever outdated
 *      values are written as the `next` of done nodes. A done node whose next is itself thus proves
 *      that all are done; and a walk from any node meets each node that is not done.
 *  C6  Between link and splice a node of either list is held, and so is not done: a set never
 *      looks explored because a part of its list is missing.
 *  C7  A set all of whose states are done is closed under successors except for dead states (that
 *      is what done promises), hence a whole component; so no thread is about to unite it with
 *      another, and step 3 finds a node. om_scc_sets_pick() makes it dead.
 *
 * Linearisation: claim() at its compare-and-swap, or, as lookup(), at the read of the word that
 * decided; unite() at the link (or when both finds met); same() at the read of b's root, as a's is
 * a root that is not locked before and after; done() at its compare-and-swap; pick() and peek() at
 * the read of the word that showed the state not to be done, or where it sets DEAD, or reads the
 * root.
 */
#include "priority.h"

#include <omen/plugin/scc_sets.h>

#include <assert.h>
#include <stdatomic.h>

typedef struct place {
    _Atomic uint64_t up, next;
} place;

/* For automata with many acceptance sets. */
typedef struct wide_place {
    place place; /* first: a pointer to one is one to the other */
    _Atomic uint64_t marks, unused;
} wide_place;

#define DEAD (UINT64_C(1) << 63)
#define LINKED (UINT64_C(1) << 62)
#define LOCKED (UINT64_C(1) << 61)
#define PARENT ((UINT64_C(1) << 40) - 1)
enum { MARK_BITS = 16 };
#define WORKERS ((UINT64_C(1) << OM_SCC_SETS_WORKERS) - 1)
#define PAYLOAD ((UINT64_C(1) << (OM_SCC_SETS_WORKERS + MARK_BITS)) - 1)

#define DONE (UINT64_C(1) << 63)
#define HELD (UINT64_C(1) << 62)
#define NEXT ((UINT64_C(1) << 41) - 1)

_Static_assert((PAYLOAD & (DEAD | LINKED | LOCKED)) == 0, "a root's flags are beside its payload");

struct om_scc_sets {
    const om_heap *heap;
    om_context *ctx;
    om_side *places;
    bool wide;
};

int om_scc_sets_new(om_scc_sets **out, om_product *p)
{
    om_context *ctx = om_product_context(p);
    const om_automaton *a = om_product_spec_of(p)->automaton;
    om_scc_sets *c = om_alloc(om_context_heap(ctx), 1, sizeof *c);

    if (c == NULL)
        return om_fail_memory(ctx);
    c->heap = om_context_heap(ctx);
    c->ctx = ctx;
    c->wide = a == NULL || om_automaton_set_count(a) > MARK_BITS;
    int rc = om_side_new(&c->places, p, c->wide ? sizeof(wide_place) : sizeof(place));
    if (rc != OM_OK) {
        om_scc_sets_free(c);
        return rc;
    }
    *out = c;
    return OM_OK;
}

void om_scc_sets_free(om_scc_sets *c)
{
    if (c == NULL)
        return;
    om_side_free(c->places);
    om_free(c->heap, c);
}

uint64_t om_scc_sets_bytes(const om_scc_sets *c)
{
    return om_side_bytes(c->places);
}

/* Waits for an action that takes a few instructions, unless its thread was preempted. */
static void wait_a_turn(unsigned *turns)
{
    enum { PATIENCE = 64 };
    if (++*turns > PATIENCE)
        (void) om_yield(OM_NAP_NS);
}

/* ---- the union-find ---- */

/* A node on a path: its address, and the value last read there. */
typedef struct node {
    om_id id;
    place *at;
    uint64_t up;
} node;

static void read_again(node *n)
{
    /* acquire: a thread that sees a change of the word also sees what was done before it; pairs
     * with all compare-and-swaps on it and with the stores in link_sets() and absorb(). */
    n->up = atomic_load_explicit(&n->at->up, memory_order_acquire);
}

static bool lookup(const om_scc_sets *c, om_id id, node *n)
{
    n->id = id;
    n->at = om_side_at(c->places, id);
    if (n->at == NULL)
        return false;
    read_again(n);
    return true;
}

/* Points n at its parent's parent. A failure means that another thread did it, or better. */
static void halve(node *n, const node *up)
{
    uint64_t expected = n->up;
    assert(om_unionfind__priority(n->id) < om_unionfind__priority(up->id)); /* C1 */
    /* release: passes on what was acquired with both words. C1: the grandparent's priority is
     * higher still; C3: DEAD of n is unchanged. */
    (void) atomic_compare_exchange_strong_explicit(&n->at->up, &expected,
        (n->up & ~PARENT) | (up->up & PARENT), memory_order_release, memory_order_relaxed);
}

/* Moves n to a node that was a root, and not locked, when it was read. */
static bool find(const om_scc_sets *c, node *n)
{
    node up;
    for (unsigned turns = 0;;) {
        if ((n->up & LINKED) != 0) {
            if (!lookup(c, n->up & PARENT, &up))
                return false;
            if ((up.up & LINKED) != 0) {
                halve(n, &up);
                if (!lookup(c, up.up & PARENT, n))
                    return false;
            } else {
                *n = up;
            }
        } else if ((n->up & LOCKED) != 0) {
            wait_a_turn(&turns);
            read_again(n);
        } else {
            return true;
        }
    }
}

static bool root_of(const om_scc_sets *c, om_id id, node *n)
{
    return lookup(c, id, n) && find(c, n);
}

/* Replaces the word of a root, if it is as last read; else reads it again and returns false. */
static bool change(node *n, uint64_t now)
{
    assert(((n->up | now) & (LINKED | LOCKED)) == 0); /* C4 */
    /* acq_rel: see read_again(). */
    if (!atomic_compare_exchange_strong_explicit(
            &n->at->up, &n->up, now, memory_order_acq_rel, memory_order_acquire))
        return false;
    n->up = now;
    return true;
}

/* Adds bits to the word of the root of n's set (C4); n becomes the root. */
static bool add_to_root(const om_scc_sets *c, node *n, uint64_t bits)
{
    assert((bits & ~(DEAD | PAYLOAD)) == 0);
    for (;;) {
        if (!find(c, n))
            return false;
        if ((bits & ~n->up) == 0 || change(n, n->up | bits))
            return true;
    }
}

/* ---- a worker's view of a set ---- */

/* Lets the state's own word answer the next lookup. */
static void note_death(node *first)
{
    /* release: as in halve(). */
    if ((first->up & LINKED) != 0) /* C3: its root is dead */
        (void) atomic_compare_exchange_strong_explicit(&first->at->up, &first->up, first->up | DEAD,
            memory_order_release, memory_order_relaxed);
}

static int lookup_from(const om_scc_sets *c, unsigned worker, om_id id, node *n, om_scc_status *is)
{
    node first;
    assert(worker < OM_SCC_SETS_WORKERS);
    if (!lookup(c, id, &first))
        return om_fail_memory(c->ctx);
    *n = first;
    if ((first.up & DEAD) != 0) {
        *is = OM_SCC_DEAD;
        return OM_OK;
    }
    if (!find(c, n))
        return om_fail_memory(c->ctx);
    if ((n->up & DEAD) != 0) {
        note_death(&first);
        *is = OM_SCC_DEAD;
    } else {
        *is = (n->up >> worker & 1) != 0 ? OM_SCC_MINE
              : (n->up & WORKERS) != 0   ? OM_SCC_OTHERS
                                         : OM_SCC_NEW;
    }
    return OM_OK;
}

int om_scc_sets_lookup(
    om_scc_sets *c, unsigned worker, om_id id, om_scc_status *is, om_id *representative)
{
    node n = { .id = id };
    int rc = lookup_from(c, worker, id, &n, is);
    *representative = n.id;
    return rc;
}

int om_scc_sets_claim(om_scc_sets *c, unsigned worker, om_id id, om_scc_status *was)
{
    node n = { .id = id, .at = om_side_at(c->places, id) };
    assert(worker < OM_SCC_SETS_WORKERS);
    if (n.at == NULL)
        return om_fail_memory(c->ctx);
    /* The state is usually new. Memory that is first read and then written is mapped twice. */
    *was = OM_SCC_NEW;
    if (change(&n, UINT64_C(1) << worker))
        return OM_OK;
    for (;;) {
        int rc = lookup_from(c, worker, id, &n, was);
        if (rc != OM_OK || *was == OM_SCC_DEAD || *was == OM_SCC_MINE)
            return rc;
        if (change(&n, n.up | UINT64_C(1) << worker))
            return OM_OK;
    }
}

int om_scc_sets_same(om_scc_sets *c, om_id a, om_id b, bool *same)
{
    node x, y;
    if (!lookup(c, a, &x) || !lookup(c, b, &y))
        return om_fail_memory(c->ctx);
    for (;;) {
        if (!find(c, &x))
            return om_fail_memory(c->ctx);
        read_again(&y); /* after x: otherwise it may have been united with x since */
        if (!find(c, &y))
            return om_fail_memory(c->ctx);
        *same = x.id == y.id;
        if (*same)
            return OM_OK;
        read_again(&x);
        if ((x.up & (LINKED | LOCKED)) == 0)
            return OM_OK;
    }
}

void om_scc_sets_fetch(const om_scc_sets *c, om_id id)
{
    om_side_fetch(c->places, id);
}

/* ---- lists ---- */

/* A node of a list: its address, and the value last read there. */
typedef struct link {
    om_id id;
    place *at;
    uint64_t next;
} link;

static bool read_link(const om_scc_sets *c, om_id id, link *l)
{
    l->id = id;
    l->at = om_side_at(c->places, id);
    if (l->at == NULL)
        return false;
    /* acquire: what was done before the node was done, spliced or skipped; pairs with the changes
     * of `next` in om_scc_sets_done(), join_rings() and skip(). */
    l->next = atomic_load_explicit(&l->at->next, memory_order_acquire);
    return true;
}

static om_id next_of(const link *l)
{
    return (l->next & NEXT) == 0 ? l->id : (l->next & NEXT) - 1;
}

/* C5: points a done node at a later node of its list, with only done nodes between them. */
static void skip(link *l, om_id to)
{
    assert((l->next & DONE) != 0);
    if (next_of(l) == to)
        return;
    l->next = DONE | (to + 1);
    /* release: passes on what was acquired on the way; pairs as in read_link(). */
    atomic_store_explicit(&l->at->next, l->next, memory_order_release);
}

/* Finds a node of the list that is not done, from `id` on; out->id is OM_NO_ID if there is none. */
static bool find_busy(const om_scc_sets *c, om_id id, link *out)
{
    link start, following;

    if (!read_link(c, id, &start))
        return false;
    *out = start;
    while ((out->next & DONE) != 0) {
        om_id next = next_of(out);
        if (next == out->id) {
            out->id = OM_NO_ID;
            return true;
        }
        if (!read_link(c, next, &following))
            return false;
        if ((following.next & DONE) != 0)
            skip(out, next_of(&following));
        *out = following;
    }
    if ((start.next & DONE) != 0)
        skip(&start, out->id);
    return true;
}

/* Holds a node of the list that `id` is in. */
static bool hold(const om_scc_sets *c, om_id id, link *l)
{
    for (unsigned turns = 0;;) {
        if (!find_busy(c, id, l))
            return false;
        assert(l->id != OM_NO_ID); /* C7 */
        /* acq_rel: with the `next` that join_rings() takes over; pairs as in read_link(). */
        if ((l->next & HELD) == 0 &&
            atomic_compare_exchange_strong_explicit(
                &l->at->next, &l->next, l->next | HELD, memory_order_acq_rel, memory_order_relaxed))
            return true;
        wait_a_turn(&turns);
    }
}

/* Makes one list of two, and releases the nodes. */
static void join_rings(const link *a, const link *b)
{
    assert(a->id != b->id && ((a->next | b->next) & (DONE | HELD)) == 0); /* C6 */
    /* release: pairs as in read_link(). No other thread writes a node that is held. */
    atomic_store_explicit(&a->at->next, next_of(b) + 1, memory_order_release);
    atomic_store_explicit(&b->at->next, next_of(a) + 1, memory_order_release);
}

int om_scc_sets_done(om_scc_sets *c, om_id id, bool *already)
{
    link l;
    for (unsigned turns = 0;;) {
        if (!read_link(c, id, &l))
            return om_fail_memory(c->ctx);
        *already = (l.next & DONE) != 0;
        if (*already)
            return OM_OK;
        /* release: all unions that the state's edges require (C7); pairs as in read_link(). */
        if ((l.next & HELD) == 0 && atomic_compare_exchange_strong_explicit(&l.at->next, &l.next,
                                        l.next | DONE, memory_order_acq_rel, memory_order_relaxed))
            return OM_OK;
        wait_a_turn(&turns);
    }
}

int om_scc_sets_pick(om_scc_sets *c, om_id id, om_id *picked)
{
    link l;
    node n;
    if (!find_busy(c, id, &l))
        return om_fail_memory(c->ctx);
    *picked = l.id;
    if (l.id != OM_NO_ID)
        return OM_OK;
    return root_of(c, id, &n) && add_to_root(c, &n, DEAD) ? OM_OK : om_fail_memory(c->ctx);
}

static _Atomic uint64_t *wide_marks(const node *n)
{
    return &((wide_place *) n->at)->marks;
}

int om_scc_sets_peek(om_scc_sets *c, om_id id, om_id *picked, om_marks *marks, bool *dead)
{
    link l;
    node n;
    if (!find_busy(c, id, &l))
        return om_fail_memory(c->ctx);
    *picked = l.id;
    *marks = 0;
    *dead = false;
    if (l.id != OM_NO_ID)
        return OM_OK;
    if (!root_of(c, id, &n))
        return om_fail_memory(c->ctx);
    /* No thread unites it any more, or adds marks (C7). */
    *marks = c->wide ? atomic_load_explicit(wide_marks(&n), memory_order_seq_cst)
                     : (n.up & PAYLOAD) >> OM_SCC_SETS_WORKERS;
    *dead = (n.up & DEAD) != 0;
    return OM_OK;
}

/* ---- uniting ---- */

/* Adds marks of a set, to its root's word or to one of their own (C4); n becomes the root. */
static bool add_marks(const om_scc_sets *c, node *n, om_marks marks, om_marks *total)
{
    if (!c->wide) {
        assert(marks >> MARK_BITS == 0);
        if (!add_to_root(c, n, marks << OM_SCC_SETS_WORKERS))
            return false;
        *total = (n->up & PAYLOAD) >> OM_SCC_SETS_WORKERS;
        return true;
    }
    for (;;) {
        if (!find(c, n))
            return false;
        om_marks before = atomic_load_explicit(wide_marks(n), memory_order_seq_cst);
        if ((marks & ~before) != 0) /* else no other core's cache line is invalidated */
            before = atomic_fetch_or_explicit(wide_marks(n), marks, memory_order_seq_cst);
        *total = before | marks;
        n->up = atomic_load_explicit(&n->at->up, memory_order_seq_cst);
        if ((n->up & (LINKED | LOCKED)) == 0)
            return true;
    }
}

/* Step 2: adds the workers and marks of x, and `marks`, to the set of y; y becomes its root. */
static bool give(const om_scc_sets *c, const node *x, node *y, om_marks marks, om_marks *total)
{
    if (c->wide)
        return add_to_root(c, y, x->up & WORKERS) &&
               add_marks(
                   c, y, marks | atomic_load_explicit(wide_marks(x), memory_order_seq_cst), total);
    if (!add_to_root(c, y, (x->up & PAYLOAD) | marks << OM_SCC_SETS_WORKERS))
        return false;
    *total = (y->up & PAYLOAD) >> OM_SCC_SETS_WORKERS;
    return true;
}

/* Steps 3 to 5. a is a node of the list of x, b one of the other list. */
static bool link_sets(const om_scc_sets *c, const node *x, const node *y, om_id a, om_id b)
{
    link in_x, in_y;
    assert((y->up & DEAD) == 0);                                           /* C7 */
    assert(om_unionfind__priority(x->id) < om_unionfind__priority(y->id)); /* C1 */
    if (!hold(c, a, &in_x) || !hold(c, b, &in_y))
        return false;
    /* release: see read_again(). No other thread writes the word of a locked root. */
    atomic_store_explicit(&x->at->up, LINKED | y->id, memory_order_release);
    join_rings(&in_x, &in_y);
    return true;
}

/* The same if a is all of x and not spliced to anything: then it need not be put onto the other
 * list, but is done and points into it. Returns false if that is not so. */
static bool absorb(const node *x, const node *y, om_id a, om_id b)
{
    uint64_t alone = 0;
    assert(om_unionfind__priority(x->id) < om_unionfind__priority(y->id)); /* C1 */
    /* Held before the link, or another thread could splice a list to it. acq_rel: as hold(). */
    if (x->id != a || !atomic_compare_exchange_strong_explicit(
                          &x->at->next, &alone, HELD, memory_order_acq_rel, memory_order_relaxed))
        return false;
    /* release: as in link_sets(). */
    atomic_store_explicit(&x->at->up, LINKED | y->id, memory_order_release);
    /* release: pairs as in read_link(). C5: in the cyclic order it comes right before b. */
    atomic_store_explicit(&x->at->next, DONE | (b + 1), memory_order_release);
    return true;
}

typedef struct union_of {
    om_id a, b;
    om_marks marks, total;
    bool last; /* a is done, too; false afterwards if it is not */
} union_of;

static bool join(const om_scc_sets *c, union_of *u)
{
    node x, y;
    om_id a = u->a, b = u->b;
    bool last = u->last;

    u->last = false;
    if (!lookup(c, a, &x) || !lookup(c, b, &y))
        return false;
    for (;;) {
        if (!find(c, &x) || !find(c, &y))
            return false;
        if (x.id == y.id) {
            /* y may have been read before another thread united the sets. */
            read_again(&y);
            return add_marks(c, &y, u->marks, &u->total);
        }
        if (om_unionfind__priority(x.id) > om_unionfind__priority(y.id)) {
            node swap = x;
            x = y;
            y = swap;
            a = a == u->a ? u->b : u->a;
            b = b == u->b ? u->a : u->b;
        }
        uint64_t locked = x.up | LOCKED;
        /* Step 1. seq_cst includes acq_rel: see read_again(); and C4. */
        if (!atomic_compare_exchange_strong_explicit(
                &x.at->up, &x.up, locked, memory_order_seq_cst, memory_order_acquire))
            continue;
        assert((locked & DEAD) == 0); /* C7 */
        /* From here on nothing fails: all nodes that are accessed have been accessed before, by the
         * thread that linked to them, so their memory exists. After a failure the lock would stay
         * for ever. */
        if (!give(c, &x, &y, u->marks, &u->total))
            return false;
        u->last = last && a == u->a && absorb(&x, &y, a, b);
        return u->last || link_sets(c, &x, &y, a, b);
    }
}

int om_scc_sets_unite(om_scc_sets *c, om_id a, om_id b, om_marks marks, om_marks *total)
{
    union_of u = { .a = a, .b = b, .marks = marks };
    if (!join(c, &u))
        return om_fail_memory(c->ctx);
    *total = u.total;
    return OM_OK;
}

int om_scc_sets_add(om_scc_sets *c, om_id id, om_marks marks, om_marks *total)
{
    node n;
    return lookup(c, id, &n) && add_marks(c, &n, marks, total) ? OM_OK : om_fail_memory(c->ctx);
}

int om_scc_sets_unite_done(om_scc_sets *c, om_id a, om_id b, om_marks marks, om_marks *total)
{
    union_of u = { .a = a, .b = b, .marks = marks, .last = true };
    bool already;
    if (!join(c, &u))
        return om_fail_memory(c->ctx);
    *total = u.total;
    return u.last ? OM_OK : om_scc_sets_done(c, a, &already);
}
