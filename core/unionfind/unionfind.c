/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared union-find: Renault et al. 2017, section 3 (sets with marks, shared by all workers)
 * and 3.5 (a dead bit). The linking is that of Anderson and Woll 1991 with a random priority in
 * place of a rank; find halves paths.
 *
 * A node is one 64-bit word (nodes.h): DEAD, a rank, and 0 for a root, else parent id + 1. Fresh
 * memory is all zero, so every state is a live set of its own without initialisation. A second
 * array holds the marks of a state: in a byte if the product's automaton has at most 8 acceptance
 * sets, else in a 64-bit word. Both are side arrays, so there are no marks where no state was ever
 * united: 8 bytes a state then, else 9 or 16.
 *
 * Variants. With OM_LINK_RANK roots are linked as by Anderson and Woll: by (rank, priority), and of
 * two of equal rank the upper one's rank grows by one, unless another thread changed it meanwhile.
 * With OM_UNIONFIND_FINE_GRAIN a thread locks a root to change it: finegrain.c; U1 to U3 hold
 * there, too, and finds are the same.
 *
 * Every function but new and free may be called by any thread; all are lock-free, except unite()
 * and kill() with locks.
 *
 * Why U3 holds. Marks come into marks[x] only by unite() (add_marks), which, after adding them,
 * reads x's word: if x is still a root there is nothing to do; if not, it carries them on to the
 * root. A thread that links r -> R reads marks[r] after the link and carries them on to the root.
 * So consider a mark that is added to r by one thread (A1: marks[r] |= m, A2: read word of r) while
 * another links r (B1: word of r := R, B2: read marks[r]). All four are sequentially consistent, so
 * they have one order: A2 before B1 means A1 before B2, and B sees m; B1 before A2 means that A
 * sees the link. One of them, perhaps both, carries m on, to a root of its own reading, by the same
 * rule again. A thread that finds m in marks[r] already has nothing to add: then A1 is that of
 * another thread, and was before its own A2.
 *
 * Linearisation: unite() at its successful link (or, if the sets are one already, at the moment
 * when both finds met), as to what is united; as to marks, at its last access to the marks of a
 * node that was a root afterwards. same(): at the read that shows that a's root is still a root.
 * kill(): at the compare-and-swap that sets DEAD in a root. dead(): at the read of the word that
 * decided.
 *
 * Why no accepting set is missed. Let R be the root of a set when all unites have ended. Every mark
 * of the set came into marks[R] by a read-modify-write of some unite (U3). The unite that made the
 * last of them saw that R was a root afterwards. So it returned the marks that it had read there
 * with its own added: all marks of the set.
 */
#include "nodes.h"
#include "sized.h"

#include <assert.h>

int om_unionfind_new(om_unionfind **out, om_product *p)
{
    const om_unionfind_spec spec = { .size = sizeof spec };
    return om_unionfind_new_as(out, p, &spec);
}

int om_unionfind_new_as(om_unionfind **out, om_product *p, const om_unionfind_spec *wanted)
{
    om_unionfind_spec spec;
    om_context *ctx = om_product_context(p);
    const om_automaton *a = om_product_spec_of(p)->automaton;
    if (!om_sized__copy(&spec, sizeof spec, sizeof spec, wanted) ||
        (unsigned) spec.kind > OM_UNIONFIND_FINE_GRAIN || (unsigned) spec.link > OM_LINK_RANK)
        return om_fail(ctx, OM_EINVAL, NULL, "unknown kind of union-find");
    om_unionfind *u = om_alloc(om_context_heap(ctx), 1, sizeof *u);
    int rc;

    if (u == NULL)
        return om_fail_memory(ctx);
    u->heap = om_context_heap(ctx);
    u->ctx = ctx;
    u->locks = spec.kind == OM_UNIONFIND_FINE_GRAIN;
    u->by_rank = spec.link == OM_LINK_RANK;
    u->wide = a == NULL || om_automaton_set_count(a) > BYTE_SETS;
    rc = om_side_new(&u->nodes, p, sizeof(word));
    if (rc == OM_OK)
        rc = om_side_new(&u->marks, p, u->wide ? sizeof(wide_marks) : sizeof(byte_marks));
    if (rc != OM_OK) {
        om_unionfind_free(u);
        return rc;
    }
    *out = u;
    return OM_OK;
}

void om_unionfind_free(om_unionfind *u)
{
    if (u == NULL)
        return;
    om_side_free(u->nodes);
    om_side_free(u->marks);
    om_free(u->heap, u);
}

uint64_t om_unionfind_bytes(const om_unionfind *u)
{
    return om_side_bytes(u->nodes) + om_side_bytes(u->marks);
}

uint64_t om_unionfind_retries(const om_unionfind *u)
{
    return atomic_load_explicit(&u->retries, memory_order_relaxed);
}

/* Points n at its parent's parent. A failure means that another thread did it, or better. */
static void halve(om_unionfind *u, node *n, const node *up)
{
    uint64_t expected = n->read;
    assert(!is_root(up->read) && is_lower(u, n, up)); /* U1 */
    /* release: passes on what was acquired with both words. U1: the grandparent's priority is
     * higher still; U2: DEAD of n is unchanged, and so is the rank that it was linked with. */
    if (!atomic_compare_exchange_strong_explicit(n->at, &expected,
            (n->read & ~PARENT) | (up->read & PARENT), memory_order_release, memory_order_relaxed))
        retried(u);
}

bool om_unionfind__find(om_unionfind *u, node *n)
{
    node up;
    while (!is_root(n->read)) {
        if (!lookup(u, parent(n->read), &up))
            return false;
        if (!is_root(up.read)) {
            halve(u, n, &up);
            if (!lookup(u, parent(up.read), n))
                return false;
        } else {
            *n = up;
        }
    }
    return true;
}

/* Makes the set of n dead; n becomes its root. */
static bool set_dead(om_unionfind *u, node *n)
{
    for (;;) {
        if (!om_unionfind__find(u, n))
            return false;
        if ((n->read & DEAD) != 0)
            return true;
        /* U2. release: all that the killer knew; acquire on failure: the word is read again. */
        if (atomic_compare_exchange_strong_explicit(
                n->at, &n->read, n->read | DEAD, memory_order_acq_rel, memory_order_acquire)) {
            n->read |= DEAD;
            return true;
        }
        retried(u);
    }
}

/* Adds marks to the current root of n's set (U3); *total is what it then has. */
static bool add_marks(om_unionfind *u, node *n, om_marks marks, om_marks *total)
{
    for (;;) {
        if (!om_unionfind__find(u, n))
            return false;
        void *at = om_side_at(u->marks, n->id);
        if (at == NULL)
            return false;
        marks = or_marks(u, at, marks);                              /* A1 */
        n->read = atomic_load_explicit(n->at, memory_order_seq_cst); /* A2 */
        if (is_root(n->read)) {
            *total = marks;
            return true;
        }
        retried(u);
    }
}

/* A node of this root's rank was linked to it, so its rank grows. That is skipped if the root has
 * changed. */
static void add_rank(om_unionfind *u, const node *n)
{
    uint64_t expected = n->read;
    assert(u->by_rank);
    if ((expected & RANK) != RANK && is_root(expected) &&
        !atomic_compare_exchange_strong_explicit(n->at, &expected,
            expected + (UINT64_C(1) << RANK_BIT), memory_order_release, memory_order_relaxed))
        retried(u);
}

/* Tries r -> R. Both were roots when they were read. *linked is set if the link was made. */
static bool link_roots(om_unionfind *u, node *low, node *high, bool *linked)
{
    uint64_t expected = low->read;

    assert(is_root(low->read) && is_root(high->read) && is_lower(u, low, high)); /* U1 */
    /* U2: if low is dead, high is made dead first; that is correct, because both are about to be
     * one set. */
    if ((low->read & DEAD) != 0) {
        if (!set_dead(u, high))
            return false;
        /* set_dead() may have moved on to a later root, of higher priority still. */
    }
    /* B1. seq_cst includes release: see lookup(). */
    *linked = atomic_compare_exchange_strong_explicit(low->at, &expected,
        (low->read & ~PARENT) | (high->id + 1), memory_order_seq_cst, memory_order_relaxed);
    if (!*linked)
        retried(u);
    else if (u->by_rank && ((low->read ^ high->read) & RANK) == 0)
        add_rank(u, high);
    return true;
}

/* Makes one set of two; *n is a node of it. The marks that must be carried to its root are added to
 * *carried. */
static bool join(om_unionfind *u, om_id a, om_id b, node *n, om_marks *carried)
{
    node x, y;
    if (!lookup(u, a, &x) || !lookup(u, b, &y))
        return false;
    for (;;) {
        bool linked;
        if (!om_unionfind__find(u, &x) || !om_unionfind__find(u, &y))
            return false;
        if (x.id == y.id) {
            *n = x;
            return true;
        }
        if (is_lower(u, &y, &x)) {
            node swap = x;
            x = y;
            y = swap;
        }
        if (!link_roots(u, &x, &y, &linked))
            return false;
        if (linked) {
            const void *at = om_side_at(u->marks, x.id);
            if (at == NULL)
                return false;
            *carried |= read_marks(u, at); /* B2 */
            *n = y;
            return true;
        }
        /* Another thread linked or killed x meanwhile, or y is no longer a root: read both
         * again. */
        if (!lookup(u, x.id, &x) || !lookup(u, y.id, &y))
            return false;
    }
}

int om_unionfind_unite(om_unionfind *u, om_id a, om_id b, om_marks marks, om_marks *total)
{
    node n;
    if (u->locks)
        return om_unionfind__unite_locked(u, a, b, marks, total);
    if (!join(u, a, b, &n, &marks) || !add_marks(u, &n, marks, total))
        return om_fail_memory(u->ctx);
    if ((n.read & DEAD) != 0)
        *total = 0;
    return OM_OK;
}

int om_unionfind_same(om_unionfind *u, om_id a, om_id b, bool *same)
{
    node x, y;
    if (!lookup(u, a, &x) || !lookup(u, b, &y))
        return om_fail_memory(u->ctx);
    for (;;) {
        if (!om_unionfind__find(u, &x))
            return om_fail_memory(u->ctx);
        /* After x: otherwise it may have been united with x since. */
        y.read = atomic_load_explicit(y.at, memory_order_acquire);
        if (!om_unionfind__find(u, &y))
            return om_fail_memory(u->ctx);
        if (x.id == y.id) {
            *same = true;
            return OM_OK;
        }
        /* If x is still a root, there were two roots at once. */
        x.read = atomic_load_explicit(x.at, memory_order_acquire);
        if (is_root(x.read)) {
            *same = false;
            return OM_OK;
        }
    }
}

int om_unionfind_kill(om_unionfind *u, om_id a)
{
    node n;
    if (u->locks)
        return om_unionfind__kill_locked(u, a);
    if (!lookup(u, a, &n) || !set_dead(u, &n))
        return om_fail_memory(u->ctx);
    return OM_OK;
}

void om_unionfind_fetch(const om_unionfind *u, om_id a)
{
    om_side_fetch(u->nodes, a);
}

int om_unionfind_dead(om_unionfind *u, om_id a, bool *dead)
{
    node n, first;
    if (!lookup(u, a, &first))
        return om_fail_memory(u->ctx);
    *dead = (first.read & DEAD) != 0;
    if (*dead || is_root(first.read))
        return OM_OK;
    n = first;
    if (!om_unionfind__find(u, &n))
        return om_fail_memory(u->ctx);
    *dead = (n.read & DEAD) != 0;
    if (*dead) {
        /* The next call then decides at the first read; U2: the parent's set is dead. */
        (void) atomic_compare_exchange_strong_explicit(
            first.at, &first.read, first.read | DEAD, memory_order_release, memory_order_relaxed);
    }
    return OM_OK;
}

int om_unionfind_known_dead(om_unionfind *u, om_id a, bool *dead)
{
    node n, up;
    if (!lookup(u, a, &n))
        return om_fail_memory(u->ctx);
    *dead = (n.read & DEAD) != 0;
    if (*dead || is_root(n.read))
        return OM_OK;
    if (!lookup(u, parent(n.read), &up))
        return om_fail_memory(u->ctx);
    *dead = (up.read & DEAD) != 0;
    return OM_OK;
}
