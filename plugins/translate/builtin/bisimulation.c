/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bisimulation.c: sound clean-up of a tableau. Removes dead states, marks without effect and
 * implied acceptance sets, and lets different components share sets. Then it merges the states of
 * each class of the coarsest partition in which equivalent states have, for every label, edges with
 * the same marks into the same classes (bisimulation, computed by refinement until no class
 * splits).
 */
#include "tableau.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ALL_MARKS UINT64_MAX

/* An edge of a class. */
typedef struct mark_edge {
    uint32_t dst; /* a class */
    om_marks marks;
    om_bdd label;
} mark_edge;

typedef struct quotient {
    om_context *ctx;
    const om_heap *heap;
    const tb_graph *g;
    const om_sccs *sccs;
    om_bdd_space *d;
    uint32_t *order;    /* states by component */
    bool *useful;       /* per component: reaches an accepting one */
    om_marks *marks;    /* per edge, cleaned */
    uint32_t sets;      /* number of remaining sets */
    uint32_t *class_of; /* per state; OM_NONE if the state is removed */
    uint32_t *next;     /* class_of of the next round */
    uint32_t classes;
    mark_edge *seen; /* edges of the classes, those of class c at seen[start[c]] */
    size_t *start;   /* classes + 1 entries */
    uint32_t *table; /* hash table of classes by signature, plus 1; 0 is free */
    size_t table_size;
} quotient;

static bool inside(const quotient *q, const tb_edge *e)
{
    return q->sccs->component[e->src] == q->sccs->component[e->dst];
}

static bool is_useful(const quotient *q, uint32_t state)
{
    uint32_t c = q->sccs->component[state];
    return c != OM_NONE && q->useful[c];
}

/* Components come in reverse topological order, so one pass over the states by component decides
 * each component from those decided before. */
static int find_useful(quotient *q)
{
    const tb_graph *g = q->g;
    int rc = om_sccs_states(q->sccs, q->ctx, g->states, &q->order);
    for (uint32_t c = 0, i = 0; rc == OM_OK && c < q->sccs->count; c++) {
        bool useful = q->sccs->strength[c] != OM_NON_ACCEPTING;
        for (uint32_t end = i + q->sccs->size[c]; i < end; i++)
            for (size_t e = g->first[q->order[i]]; e < g->first[q->order[i] + 1] && !useful; e++)
                useful = q->useful[q->sccs->component[g->edges[e].dst]];
        q->useful[c] = useful;
    }
    return rc;
}

/* Marks matter on cycles only: there are none between components and in rejecting ones, and all in
 * components where every cycle accepts. */
static void clean_marks(quotient *q)
{
    om_marks all = q->g->sets == 64 ? ALL_MARKS : (UINT64_C(1) << q->g->sets) - 1;
    for (size_t i = 0; i < q->g->edge_count; i++) {
        const tb_edge *e = &q->g->edges[i];
        uint32_t c = q->sccs->component[e->src];
        om_strength s = c == OM_NONE ? OM_NON_ACCEPTING : q->sccs->strength[c];
        if (!inside(q, e) || s == OM_NON_ACCEPTING)
            q->marks[i] = 0;
        else
            q->marks[i] = s == OM_STRONG ? e->marks : all;
    }
}

/* Relations between sets, from the marks of edges. */
typedef struct set_facts {
    om_marks always;      /* sets that contain every edge */
    om_marks implied[64]; /* per set: the sets that contain all of its edges */
} set_facts;

static void no_facts(set_facts *f)
{
    f->always = ALL_MARKS;
    for (int i = 0; i < 64; i++)
        f->implied[i] = ALL_MARKS;
}

static void note_marks(set_facts *f, om_marks marks, uint32_t sets)
{
    f->always &= marks;
    for (uint32_t s = 0; s < sets; s++)
        if (marks >> s & 1)
            f->implied[s] &= marks;
}

/* Returns the sets to keep. A set that contains all edges of another one is redundant, and so is a
 * set with every edge. */
static om_marks needed_sets(const set_facts *f, uint32_t sets)
{
    om_marks keep = 0;
    for (uint32_t s = 0; s < sets; s++) {
        bool redundant = f->always >> s & 1;
        for (uint32_t by = 0; by < sets && !redundant; by++) {
            bool mutual = f->implied[s] >> by & 1;
            redundant = by != s && (f->implied[by] >> s & 1) && (!mutual || by < s);
        }
        if (!redundant)
            keep |= UINT64_C(1) << s;
    }
    return keep;
}

/* Drops the sets that are redundant in all components together. */
static void drop_sets(quotient *q)
{
    set_facts facts;
    no_facts(&facts);
    for (size_t i = 0; i < q->g->edge_count; i++)
        if (inside(q, &q->g->edges[i]))
            note_marks(&facts, q->marks[i], q->g->sets);
    om_marks keep = needed_sets(&facts, q->g->sets);
    for (size_t i = 0; i < q->g->edge_count; i++) {
        om_marks packed = 0;
        uint32_t to = 0;
        for (uint32_t s = 0; s < q->g->sets; s++)
            if (keep >> s & 1)
                packed |= (q->marks[i] >> s & 1) << to++;
        q->marks[i] = packed;
    }
    q->sets = (uint32_t) __builtin_popcountll(keep);
}

/* Returns the sets that are not redundant in the component of these states. */
static om_marks needed_among(const quotient *q, const uint32_t *states, uint32_t n)
{
    set_facts facts;
    bool some = false;
    no_facts(&facts);
    for (uint32_t i = 0; i < n; i++)
        for (size_t e = q->g->first[states[i]]; e < q->g->first[states[i] + 1]; e++)
            if (inside(q, &q->g->edges[e])) {
                note_marks(&facts, q->marks[e], q->sets);
                some = true;
            }
    return some ? needed_sets(&facts, q->sets) : 0;
}

/* Assigns a place below k < 64 to each needed set of a component; those below k keep theirs. */
static void place_sets(om_marks needed, uint32_t k, uint32_t *place)
{
    om_marks taken = needed & ((UINT64_C(1) << k) - 1);
    for (uint32_t s = 0; s < 64; s++)
        if (needed >> s & 1) {
            place[s] = s < k ? s : (uint32_t) __builtin_ctzll(~taken);
            assert(place[s] < k);
            taken |= UINT64_C(1) << place[s];
        }
}

/* Renames the marks of edges in a component that needs these sets, k sets in total. */
static void rename_sets(
    quotient *q, const uint32_t *states, uint32_t n, om_marks needed, uint32_t k)
{
    const om_marks all = (UINT64_C(1) << k) - 1;
    uint32_t place[64] = { 0 };
    place_sets(needed, k, place);
    for (uint32_t i = 0; i < n; i++)
        for (size_t e = q->g->first[states[i]]; e < q->g->first[states[i] + 1]; e++) {
            if (!inside(q, &q->g->edges[e]))
                continue;
            om_marks renamed = all;
            for (uint32_t s = 0; s < q->sets; s++)
                if ((needed & ~q->marks[e]) >> s & 1)
                    renamed &= ~(UINT64_C(1) << place[s]);
            q->marks[e] = renamed;
        }
}

/* Lets components share sets. A run eventually stays in one component, so at most as many sets are
 * needed as one component needs. Other components use the same sets, and their edges are in all
 * sets that they do not need. A rejecting component has no marks, and needs one set for that. */
static void share_sets(quotient *q)
{
    const om_sccs *sccs = q->sccs;
    uint32_t k = q->sets != 0;
    for (uint32_t c = 0, i = 0; c < sccs->count; i += sccs->size[c++])
        if (sccs->strength[c] == OM_STRONG) {
            om_marks needed = needed_among(q, q->order + i, sccs->size[c]);
            uint32_t n = (uint32_t) __builtin_popcountll(needed);
            k = n > k ? n : k;
        }
    if (k == q->sets)
        return;
    for (uint32_t c = 0, i = 0; c < sccs->count; i += sccs->size[c++])
        if (sccs->strength[c] != OM_NON_ACCEPTING) {
            bool strong = sccs->strength[c] == OM_STRONG;
            om_marks needed = strong ? needed_among(q, q->order + i, sccs->size[c]) : 0;
            rename_sets(q, q->order + i, sccs->size[c], needed, k);
        }
    q->sets = k;
}

static int by_target(const void *a, const void *b)
{
    const mark_edge *x = a, *y = b;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    return x->marks < y->marks ? -1 : x->marks > y->marks;
}

/* Writes the edges that a class of this state would have to `to`; returns their number. */
static size_t signature(quotient *q, uint32_t state, mark_edge *to)
{
    const tb_graph *g = q->g;
    size_t n = 0, used = 0;
    if (!is_useful(q, state))
        return 0;
    for (size_t e = g->first[state]; e < g->first[state + 1]; e++)
        if (q->class_of[g->edges[e].dst] != OM_NONE)
            to[n++] = (mark_edge){ q->class_of[g->edges[e].dst], q->marks[e], g->edges[e].label };
    qsort(to, n, sizeof *to, by_target);
    for (size_t i = 0; i < n; i++) {
        if (used > 0 && by_target(&to[used - 1], &to[i]) == 0)
            to[used - 1].label = om_bdd_or(q->d, to[used - 1].label, to[i].label);
        else
            to[used++] = to[i];
    }
    return used;
}

static uint64_t hash_signature(uint32_t old_class, const mark_edge *e, size_t n)
{
    uint64_t h = old_class + 1;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ e[i].dst ^ (uint64_t) e[i].label << 32) * 0x9e3779b97f4a7c15u;
        h = (h ^ (h >> 29) ^ e[i].marks) * 0xbf58476d1ce4e5b9u;
    }
    return h ^ (h >> 32);
}

static bool same_signature(const mark_edge *a, const mark_edge *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (by_target(&a[i], &b[i]) != 0 || a[i].label != b[i].label)
            return false;
    return true;
}

/* One round of refinement: states of one class with different signatures are separated. Comparing
 * the old class of each new one's first state keeps classes from merging. */
static int refine(quotient *q, uint32_t *old_class, uint32_t *count)
{
    uint32_t classes = 0;
    int rc = OM_OK;
    size_t mask = q->table_size - 1;
    memset(q->table, 0, q->table_size * sizeof *q->table);
    for (uint32_t s = 0; s < q->g->states && (rc = om_context_stopped(q->ctx)) == OM_OK; s++) {
        q->next[s] = OM_NONE;
        if (q->class_of[s] == OM_NONE)
            continue;
        mark_edge *mine = q->seen + q->start[classes];
        size_t n = signature(q, s, mine),
               at = (size_t) hash_signature(q->class_of[s], mine, n) & mask;
        assert(q->start[classes] + n <= q->g->edge_count);
        for (; q->table[at] != 0; at = (at + 1) & mask) {
            uint32_t c = q->table[at] - 1;
            if (old_class[c] == q->class_of[s] && q->start[c + 1] - q->start[c] == n &&
                same_signature(q->seen + q->start[c], mine, n))
                break;
        }
        if (q->table[at] == 0) {
            q->table[at] = classes + 1;
            old_class[classes] = q->class_of[s];
            q->start[++classes] = (size_t) (mine - q->seen) + n;
        }
        q->next[s] = q->table[at] - 1;
    }
    *count = classes;
    return rc == OM_OK ? om_bdd_space_status(q->d) : rc;
}

static int partition(quotient *q)
{
    const tb_graph *g = q->g;
    uint32_t *old_class = om_alloc(q->heap, g->states, sizeof *old_class);
    if (old_class == NULL)
        return OM_ENOMEM;
    for (uint32_t s = 0; s < g->states; s++)
        q->class_of[s] = is_useful(q, s) ? 0 : OM_NONE;
    q->class_of[0] = 0; /* the initial state stays, even if it accepts nothing */
    q->classes = 1;
    int rc = OM_OK;
    for (bool stable = false; rc == OM_OK && !stable;) {
        uint32_t classes = 0, *swap = q->class_of;
        rc = refine(q, old_class, &classes);
        assert(rc != OM_OK || classes >= q->classes); /* classes only split */
        stable = classes == q->classes;
        q->classes = classes;
        q->class_of = q->next;
        q->next = swap;
    }
    om_free(q->heap, old_class);
    return rc;
}

/* Writes the classes. The last round left the edges of each class in `seen`, with current classes
 * as targets: no class has split. */
static int write_out(quotient *q, tb_graph *out)
{
    int rc = OM_OK;
    out->sets = q->sets;
    for (uint32_t c = 0; c < q->classes && rc == OM_OK; c++) {
        const mark_edge *edges = q->seen + q->start[c];
        size_t n = q->start[c + 1] - q->start[c];
        assert(n == 0 || edges[n - 1].dst < q->classes); /* they are sorted by target */
        rc = tb_graph_open_state(out, q->heap);
        for (size_t i = 0; i < n && rc == OM_OK; i++)
            rc = tb_graph_add_edge(
                out, q->heap, (tb_edge){ c, edges[i].dst, edges[i].marks, edges[i].label });
    }
    if (rc == OM_OK)
        tb_graph_close(out);
    return rc;
}

static int run(quotient *q, tb_graph *out)
{
    size_t states = q->g->states, edges = q->g->edge_count;
    for (q->table_size = 16; q->table_size < 2 * states;)
        q->table_size *= 2;
    if (!OM_NEW(q->heap, q->useful, q->sccs->count) || !OM_NEW(q->heap, q->marks, edges) ||
        !OM_NEW(q->heap, q->class_of, states) || !OM_NEW(q->heap, q->next, states) ||
        !OM_NEW(q->heap, q->seen, edges) || !OM_NEW(q->heap, q->start, states + 1) ||
        !OM_NEW(q->heap, q->table, q->table_size))
        return OM_ENOMEM;
    int rc = find_useful(q);
    if (rc != OM_OK)
        return rc;
    clean_marks(q);
    drop_sets(q);
    share_sets(q);
    rc = partition(q);
    return rc == OM_OK ? write_out(q, out) : rc;
}

int tb_quotient(
    om_context *ctx, const tb_graph *g, const om_sccs *sccs, om_bdd_space *d, tb_graph *out)
{
    const om_heap *heap = om_context_heap(ctx);
    quotient q = { .ctx = ctx, .heap = heap, .g = g, .sccs = sccs, .d = d };
    tb_graph graph = { 0 };
    int rc = run(&q, &graph);
    OM_FREE_ALL(heap, q.order, q.useful, q.marks, q.class_of, q.next, q.seen, q.start, q.table);
    if (rc == OM_OK)
        *out = graph;
    else
        tb_graph_free(&graph, heap);
    return rc;
}
