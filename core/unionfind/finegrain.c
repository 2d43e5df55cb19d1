/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared union-find with a lock for each root: Renault et al. 2017, section 6.3, after Berman
 * 2010. Finds are those of nodes.h, without locks. A thread that unites two sets locks both roots,
 * the one of the lesser id first, so that waits form no cycle; a thread that finds that one of them
 * is no longer a root releases its lock and searches again. Marks and the dead bit of a set change
 * only under its root's lock, so a unite() is one step to all others: with the store that links,
 * or, within one set, with the one that unlocks.
 *
 * U1 to U3 of nodes.h hold, and U3 without its exception: marks are with the root before other
 * threads see the link.
 */
#include "nodes.h"

#include <assert.h>

enum { SPINS = 100 };

/* Waits for the lock of a node that was a root. Returns false if it is no longer a root. */
static bool lock(om_unionfind *u, node *n)
{
    for (unsigned round = 1;; round++) {
        /* acquire: what the previous holder did; pairs with the release in unlock() and
         * link_roots(). */
        n->read = atomic_load_explicit(n->at, memory_order_acquire);
        if (!is_root(n->read))
            return false;
        if ((n->read & LOCKED) == 0 &&
            atomic_compare_exchange_weak_explicit(
                n->at, &n->read, n->read | LOCKED, memory_order_acquire, memory_order_relaxed))
            return true;
        retried(u);
        if (round > SPINS)
            (void) om_yield(OM_NAP_NS);
    }
}

/* n.read is the new value, without LOCKED. */
static void unlock(const node *n)
{
    assert((n->read & LOCKED) == 0);
    /* release: pairs with lock() and, if it links, with the finds of nodes.h. */
    atomic_store_explicit(n->at, n->read, memory_order_release);
}

/* Under both locks. A dead set makes the other one dead, before the link (U2). */
static void link_roots(const om_unionfind *u, node *low, node *high)
{
    assert(is_root(low->read) && is_root(high->read) && is_lower(u, low, high)); /* U1 */
    if (u->by_rank && ((low->read ^ high->read) & RANK) == 0 && (high->read & RANK) != RANK)
        high->read += UINT64_C(1) << RANK_BIT;
    high->read |= low->read & DEAD;
    /* release: a thread that sees the set dead sees why, as in unlock(). */
    atomic_store_explicit(high->at, high->read | LOCKED, memory_order_release);
    low->read |= high->id + 1;
    unlock(low);
}

/* Locks the two roots; or one, if both are the same. Returns false if memory runs out. */
static bool lock_roots(om_unionfind *u, node *x, node *y)
{
    for (;;) {
        if (!om_unionfind__find(u, x) || !om_unionfind__find(u, y))
            return false;
        node *first = x->id < y->id ? x : y, *second = first == x ? y : x;
        if (lock(u, first)) {
            if (x->id == y->id || lock(u, second))
                return true;
            unlock(first);
        }
        retried(u);
    }
}

int om_unionfind__unite_locked(om_unionfind *u, om_id a, om_id b, om_marks marks, om_marks *total)
{
    node x, y;
    if (!lookup(u, a, &x) || !lookup(u, b, &y) || !lock_roots(u, &x, &y))
        return om_fail_memory(u->ctx);
    bool one = x.id == y.id;
    node *low = is_lower(u, &x, &y) ? &x : &y, *high = low == &x ? &y : &x;
    const void *from = om_side_at(u->marks, low->id);
    void *to = om_side_at(u->marks, high->id);
    int rc = from == NULL || to == NULL ? om_fail_memory(u->ctx) : OM_OK;
    if (one)
        high = low = x.id < y.id ? &x : &y;
    if (rc == OM_OK)
        *total = or_marks(u, to, marks | read_marks(u, from));
    if (rc == OM_OK && !one)
        link_roots(u, low, high);
    else if (!one)
        unlock(low);
    unlock(high);
    if (rc == OM_OK && (high->read & DEAD) != 0)
        *total = 0;
    return rc;
}

int om_unionfind__kill_locked(om_unionfind *u, om_id a)
{
    node n;
    if (!lookup(u, a, &n))
        return om_fail_memory(u->ctx);
    do {
        if (!om_unionfind__find(u, &n))
            return om_fail_memory(u->ctx);
        if ((n.read & DEAD) != 0)
            return OM_OK;
    } while (!lock(u, &n));
    assert(is_root(n.read)); /* U2 */
    n.read |= DEAD;
    unlock(&n);
    return OM_OK;
}
