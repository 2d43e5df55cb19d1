/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.h: a state's node in the shared union-find, and the search for the root of its set. Shared
 * by unionfind.c, which changes roots by compare-and-swaps, and finegrain.c, which locks them.
 *
 * A node is one 64-bit word:
 *     bit 63         DEAD
 *     bit 62         LOCKED (a root, if there are locks)
 *     bits 56 to 61  the rank of a root, if roots are linked by rank; of another node, the rank
 *                    that it was linked with
 *     bits 0 to 47   0 for a root, else parent id + 1
 *
 * Invariants:
 *  U1  A node that has a parent never becomes a root again, and its parent has a higher priority
 *      (an order on ids; by rank, on ranks first: that of a root only grows, and that of another
 *      node is constant): so there are no cycles, and every path ends.
 *  U2  DEAD is never cleared, and dead(x) implies dead(parent(x)): so a set is dead exactly if its
 *      root is, and a dead node proves it. A link r -> R is made by a compare-and-swap on r's word:
 *      if r was dead in it, R was made dead before; if r was not, r was not dead at that moment.
 *      Halving replaces a parent by its parent, which keeps this.
 *  U3  Marks are only added. If a mark is in marks[x] and x is not a root, then it is in the marks
 *      of x's root already, or a unite() that is still running is going to put it there.
 */
#ifndef OM_UNIONFIND_NODES_H
#define OM_UNIONFIND_NODES_H

#include "priority.h"

#include <omen/plugin/unionfind.h>

#include <assert.h>
#include <stdatomic.h>

typedef _Atomic uint64_t word;
typedef _Atomic uint64_t wide_marks;
typedef _Atomic uint8_t byte_marks;
enum { BYTE_SETS = 8 };

#define DEAD (UINT64_C(1) << 63)
#define LOCKED (UINT64_C(1) << 62)
#define RANK_BIT 56
#define RANK (UINT64_C(63) << RANK_BIT)
#define PARENT ((UINT64_C(1) << 48) - 1)

struct om_unionfind {
    const om_heap *heap;
    om_context *ctx;
    om_side *nodes, *marks;
    bool wide;    /* marks are words, else bytes */
    bool by_rank; /* roots are linked by rank, else by a random priority */
    bool locks;   /* a thread locks a root to change it */
    char apart[64];
    /* Failed compare-and-swaps, and roots that have ceased to be roots. They are rare; otherwise
     * the traffic on the nodes' memory is far higher than on this counter. */
    _Atomic uint64_t retries;
};

static inline bool is_root(uint64_t w)
{
    return (w & PARENT) == 0;
}

static inline om_id parent(uint64_t w)
{
    return (w & PARENT) - 1;
}

/* A node on a path: its address, and the value last read there. */
typedef struct node {
    om_id id;
    word *at;
    uint64_t read;
} node;

static inline bool lookup(om_unionfind *u, om_id id, node *n)
{
    n->id = id;
    n->at = om_side_at(u->nodes, id);
    if (n->at == NULL)
        return false;
    /* acquire: a thread that sees a link or a kill also sees what was done before it; pairs with
     * the compare-and-swaps in link(), set_dead() and halve(). */
    n->read = atomic_load_explicit(n->at, memory_order_acquire);
    return true;
}

/* Returns true if x must be linked to y, both roots when they were read (U1). Ranks are those that
 * were read: a root's rank only grows. */
static inline bool is_lower(const om_unionfind *u, const node *x, const node *y)
{
    uint64_t a = x->read & RANK, b = y->read & RANK;
    return u->by_rank && a != b ? a < b
                                : om_unionfind__priority(x->id) < om_unionfind__priority(y->id);
}

/* Moves n to a node that was a root when it was read. Returns false if memory runs out. */
bool om_unionfind__find(om_unionfind *u, node *n);

/* Counts a failed attempt. */
static inline void retried(om_unionfind *u)
{
    (void) atomic_fetch_add_explicit(&u->retries, 1, memory_order_relaxed);
}

/* Reads the marks of a state at their address. */
static inline om_marks read_marks(const om_unionfind *u, const void *at)
{
    return u->wide ? atomic_load_explicit((const wide_marks *) at, memory_order_seq_cst)
                   : atomic_load_explicit((const byte_marks *) at, memory_order_seq_cst);
}

/* Adds marks to those of a state (A1), and returns all that it then has. */
static inline om_marks or_marks(const om_unionfind *u, void *at, om_marks marks)
{
    om_marks before = read_marks(u, at);
    if ((marks & ~before) == 0) /* the usual case, which invalidates no other core's cache line */
        return before;
    if (u->wide)
        return marks | atomic_fetch_or_explicit((wide_marks *) at, marks, memory_order_seq_cst);
    assert(marks >> BYTE_SETS == 0);
    return marks |
           atomic_fetch_or_explicit((byte_marks *) at, (uint8_t) marks, memory_order_seq_cst);
}

/* finegrain.c: like the public functions of unionfind.c, with locks. */
int om_unionfind__unite_locked(om_unionfind *u, om_id a, om_id b, om_marks marks, om_marks *total);
int om_unionfind__kill_locked(om_unionfind *u, om_id a);

#endif
