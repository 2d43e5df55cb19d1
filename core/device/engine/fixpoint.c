/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strong parts: detects a cycle of the product that visits all sets of a generalized Buchi
 * condition.
 *
 * One way catch them young, on a device: I. Cerna, R. Pelanek, "Distributed explicit fair cycle
 * detection (set based approach)", SPIN 2003, for several sets in turn (E. A. Emerson, C.-L. Lei,
 * LICS 1986), on edges; trim.c is the case of no set.
 *
 * The rest is at first the accepting part. A round handles one set: the states that are reached,
 * within the rest, from edges of the rest with the set's mark are the new rest; then states that no
 * edge of the rest leads to are removed, until each has one. Rounds go on, one set after the other,
 * until as many rounds as there are sets have removed nothing, or nothing is left.
 *
 * Devices know no marks. The edges with a mark are found by expanding the rest with an automaton
 * that has only those edges: their targets are reached. All reached states are expanded once with
 * the full automaton, and their edges are counted.
 *
 *  F1  A state of an accepting component of the product is never removed: an edge inside leads to
 *      it, and it is reached from an edge of each set inside.
 *  F2  If rounds have left the rest unchanged, a component of it that no edge of the rest enters
 *      has a cycle, because an edge leads to each of its states; and it visits each set, because
 *      the edges that its states are reached from lie in it. So it accepts.
 *
 *  F3  A state of such a component: walk from any state backwards along edges of the rest until the
 *      walk closes a cycle, and remove the states reached from there. The predecessors of a state
 *      that stays have stayed, too. So the same can be done with the states that stay; when none
 *      stays, every state that leads to the last cycle was also reached from it.
 *
 * Bytes for each state: 4 for the counts, 16 here, and 4 if something is left.
 */
#include "fixpoint.h"

#include "kernels.h"

enum { K_HOLD, K_BARE, K_KEEP, K_REACH, K_DROP, K_PREDECESSORS, KERNELS };
#define SHAPES(ROWS, INDEX)                                                                        \
    {                                                                                              \
        [K_HOLD] = { "om_k_hold", ROWS "uumm" }, [K_BARE] = { "om_k_bare", "uummmm" },             \
        [K_KEEP] = { "om_k_keep", "uummumm" }, [K_REACH] = { "om_k_reach", "mu" INDEX "mmummmm" }, \
        [K_DROP] = { "om_k_drop", "mu" INDEX "mmmmm" },                                            \
        [K_PREDECESSORS] = { "om_k_predecessors", "mu" INDEX "mmm" },                              \
    }
static const om_shape shapes[2][KERNELS] = { SHAPES(OM_ONE_BUFFER, OM_ONE_BUFFER),
    SHAPES(OM_FOUR_BUFFERS, OM_FOUR_BUFFERS) };

typedef struct fixpoint {
    om_member *m;
    om_buffer list, next; /* states: being expanded, to be expanded next */
    om_buffer length;     /* of next */
    om_buffer rest, now;  /* as in fixpoint.cl */
    om_buffer predecessor;
    om_buffer begin, edges; /* of the automaton with the edges of one set */
    uint32_t count;         /* of list */
    uint32_t counted;       /* not 0: reached edges are counted */
    uint64_t rounds;
} fixpoint;

/* ---- the program ---- */

int om_fixpoint__order(om_member *m)
{
    om_text source = { .heap = m->heap };
    if (!m->spec->fixpoint)
        return OM_OK;
    om_text_add(&source, om_kernel__steps);
    om_text_add(&source, om_kernel__prelude);
    om_text_add(&source, om_kernel__fixpoint);
    const om_recipe recipe = { .source = source.text,
        .defines = { { "OM_ROW", om_model_words(m->spec->model) + 1 },
            { "OM_SEGMENTS", m->device->segments } },
        .define_count = 2,
        .shapes = shapes[m->device->segments > 1],
        .count = KERNELS };
    int rc = source.failed ? om_fail_memory(m->ctx)
                           : om_builds__order(m->device, m->ctx, &recipe, &m->fixpoint.build);
    om_text_free(&source);
    return rc;
}

int om_fixpoint__open(om_member *m)
{
    if (m->fixpoint.build == NULL)
        return OM_OK;
    int rc = om_builds__collect(m->fixpoint.build, m->ctx, &m->fixpoint.built);
    m->fixpoint.build = NULL;
    return rc;
}

void om_fixpoint__close(om_member *m)
{
    om_builds__abandon(m->fixpoint.build);
    om_builds__release(m->device, &m->fixpoint.built);
}

/* ---- launches ---- */

static int launch(
    const fixpoint *f, uint32_t kernel, const om_arg *args, uint32_t count, uint32_t items)
{
    om_member *m = f->m;
    return om_segments__run(
        &m->queue, m->fixpoint.built.kernels[kernel], shapes[0][kernel].name, args, count, items);
}

/* Calls some() for all states, in portions. */
static int for_each_chunk(
    const fixpoint *f, int (*some)(const fixpoint *f, uint32_t first, uint32_t n))
{
    enum { CHUNK = 1 << 20 };
    const uint32_t all = f->m->table.stored;
    int rc = OM_OK;
    for (uint32_t first = 0, n; rc == OM_OK && first < all; first += n) {
        n = all - first < CHUNK ? all - first : CHUNK;
        rc = some(f, first, n);
        if (rc == OM_OK)
            rc = om_queue__pause(&f->m->queue);
    }
    return rc;
}

static int hold(const fixpoint *f, uint32_t first, uint32_t n)
{
    const om_arg args[] = { OM_SEGMENTED(f->m->table.rows), OM_ARG(first), OM_ARG(n),
        OM_MEM(f->m->accepting), OM_MEM(f->rest) };
    return launch(f, K_HOLD, args, 5, n);
}

static int bare(const fixpoint *f, uint32_t first, uint32_t n)
{
    const om_arg args[] = { OM_ARG(first), OM_ARG(n), OM_MEM(f->rest), OM_MEM(f->m->degree),
        OM_MEM(f->next), OM_MEM(f->length) };
    return launch(f, K_BARE, args, 6, n);
}

static int keep_led_to(const fixpoint *f, uint32_t first, uint32_t n)
{
    const uint32_t zero = 1;
    const om_arg args[] = { OM_ARG(first), OM_ARG(n), OM_MEM(f->rest), OM_MEM(f->m->degree),
        OM_ARG(zero), OM_MEM(f->next), OM_MEM(f->length) };
    return launch(f, K_KEEP, args, 7, n);
}

static int keep_not_reached(const fixpoint *f, uint32_t first, uint32_t n)
{
    const uint32_t zero = 0;
    const om_arg args[] = { OM_ARG(first), OM_ARG(n), OM_MEM(f->rest), OM_MEM(f->now), OM_ARG(zero),
        OM_MEM(f->next), OM_MEM(f->length) };
    return launch(f, K_KEEP, args, 7, n);
}

static int reach(void *self, uint32_t n)
{
    const fixpoint *f = self;
    const om_state_table *t = &f->m->table;
    const om_arg args[] = { OM_MEM(t->from), OM_ARG(n), OM_SEGMENTED(t->index), OM_MEM(t->place),
        OM_MEM(f->rest), OM_ARG(f->counted), OM_MEM(f->m->degree), OM_MEM(f->now), OM_MEM(f->next),
        OM_MEM(f->length) };
    return launch(f, K_REACH, args, 10, n);
}

static int drop(void *self, uint32_t n)
{
    const fixpoint *f = self;
    const om_state_table *t = &f->m->table;
    const om_arg args[] = { OM_MEM(t->from), OM_ARG(n), OM_SEGMENTED(t->index), OM_MEM(t->place),
        OM_MEM(f->rest), OM_MEM(f->m->degree), OM_MEM(f->next), OM_MEM(f->length) };
    return launch(f, K_DROP, args, 8, n);
}

static int note_predecessors(void *self, uint32_t n)
{
    const fixpoint *f = self;
    const om_state_table *t = &f->m->table;
    const om_arg args[] = { OM_MEM(t->from), OM_ARG(n), OM_SEGMENTED(t->index), OM_MEM(t->place),
        OM_MEM(f->rest), OM_MEM(f->predecessor) };
    return launch(f, K_PREDECESSORS, args, 6, n);
}

/* ---- lists ---- */

static int begin_list(const fixpoint *f)
{
    return om_queue__zero(&f->m->queue, &f->length, 0, sizeof(uint32_t));
}

/* Makes the new list the one to be expanded. */
static int take_list(fixpoint *f)
{
    om_buffer swap = f->list;
    f->list = f->next;
    f->next = swap;
    return om_queue__read(&f->m->queue, &f->length, 0, &f->count, sizeof f->count);
}

static int list_all(fixpoint *f, int (*some)(const fixpoint *f, uint32_t first, uint32_t n))
{
    int rc = begin_list(f);
    if (rc == OM_OK)
        rc = for_each_chunk(f, some);
    return rc == OM_OK ? take_list(f) : rc;
}

/* Expands the listed states, then those that each() lists, until the list is empty. */
static int spread(fixpoint *f, int (*each)(void *self, uint32_t n))
{
    int rc = OM_OK;
    while (rc == OM_OK && f->count != 0) {
        f->rounds++;
        rc = begin_list(f);
        if (rc == OM_OK)
            rc = om_member__recheck(f->m, &f->list, f->count, each, f);
        if (rc == OM_OK)
            rc = take_list(f);
    }
    return rc;
}

static int zero(const fixpoint *f, const om_buffer *b)
{
    return om_queue__zero(&f->m->queue, b, 0, (size_t) f->m->table.stored * sizeof(uint32_t));
}

/* ---- rounds ---- */

/* Lists the edges of the automaton that have the mark, in the form that expand.cl reads. Returns
 * their number. */
static uint32_t list_set(const om_automaton *a, om_marks mark, uint32_t *begin, uint32_t *edges)
{
    const uint32_t states = om_automaton_state_count(a);
    uint32_t at = 0;
    for (uint32_t q = 0; q < states; q++) {
        uint32_t count = 0;
        const om_edge *of = om_automaton_edges(a, q, &count);
        begin[q] = at;
        for (uint32_t i = 0; i < count; i++)
            if ((of[i].marks & mark) != 0)
                om_member__edge_words(&edges[(size_t) at++ * 3], &of[i]);
    }
    begin[states] = at;
    return at;
}

/* Loads these edges; their cubes stay where they are. */
static int load_set(fixpoint *f, om_marks mark)
{
    const om_automaton *a = f->m->spec->automaton;
    const size_t states = om_automaton_state_count(a), edge = 3 * sizeof(uint32_t);
    uint32_t *begin = om_alloc(f->m->heap, states + 1, sizeof *begin);
    uint32_t *edges = om_alloc(f->m->heap, om_automaton_edge_count(a), edge);
    int rc;
    if (begin == NULL || edges == NULL) {
        rc = om_fail_memory(f->m->ctx);
    } else {
        const uint32_t n = list_set(a, mark, begin, edges);
        rc = om_queue__write(&f->m->queue, &f->begin, 0, begin, (states + 1) * sizeof *begin);
        if (rc == OM_OK && n != 0)
            rc = om_queue__write(&f->m->queue, &f->edges, 0, edges, n * edge);
    }
    om_free(f->m->heap, begin);
    om_free(f->m->heap, edges);
    return rc;
}

static void swap_automata(fixpoint *f)
{
    const om_buffer begin = f->begin, edges = f->edges;
    f->begin = f->m->begin;
    f->edges = f->m->edges;
    f->m->begin = begin;
    f->m->edges = edges;
}

/* Marks the targets of the rest's edges with the mark as reached, and lists them. */
static int seed(fixpoint *f, om_marks mark)
{
    int rc = load_set(f, mark);
    if (rc == OM_OK)
        rc = begin_list(f);
    if (rc != OM_OK)
        return rc;
    f->counted = 0;
    swap_automata(f);
    rc = om_member__recheck(f->m, &f->list, f->count, reach, f);
    swap_automata(f);
    f->counted = 1;
    return rc == OM_OK ? take_list(f) : rc;
}

/* Removes states until an edge leads to each that is left; lists those. */
static int eliminate(fixpoint *f)
{
    int rc = list_all(f, bare);
    if (rc == OM_OK)
        rc = spread(f, drop);
    return rc == OM_OK ? list_all(f, keep_led_to) : rc;
}

/* Runs a round for the set of this mark; the rest is listed before and after it. */
static int next_rest(fixpoint *f, om_marks mark)
{
    int rc = zero(f, &f->now);
    if (rc == OM_OK)
        rc = zero(f, &f->m->degree);
    if (rc == OM_OK)
        rc = seed(f, mark);
    if (rc == OM_OK)
        rc = spread(f, reach);
    om_buffer swap = f->rest;
    f->rest = f->now;
    f->now = swap;
    return rc == OM_OK ? eliminate(f) : rc;
}

static unsigned count_sets(om_marks all)
{
    unsigned n = 0;
    for (; all != 0; all &= all - 1)
        n++;
    return n;
}

static int all_rounds(fixpoint *f, om_marks all)
{
    const unsigned sets = count_sets(all);
    int rc = for_each_chunk(f, hold);
    if (rc == OM_OK)
        rc = eliminate(f);
    om_marks left = all;
    for (unsigned same = 0; rc == OM_OK && f->count != 0 && same < sets; left &= left - 1) {
        const uint32_t before = f->count;
        left = left == 0 ? all : left;
        rc = next_rest(f, left & -left);
        same = f->count == before ? same + 1 : 0;
    }
    return rc;
}

/* ---- counterexamples ---- */

/* Removes the states reached from this state; lists the others. */
static int take_off(fixpoint *f, uint32_t from)
{
    const uint32_t one = 1;
    om_queue *queue = &f->m->queue;
    int rc = zero(f, &f->now);
    if (rc == OM_OK)
        rc = om_queue__write(queue, &f->now, (size_t) from * sizeof one, &one, sizeof one);
    if (rc == OM_OK)
        rc = om_queue__write(queue, &f->list, 0, &from, sizeof from);
    f->count = 1;
    f->counted = 0;
    if (rc == OM_OK)
        rc = spread(f, reach);
    return rc == OM_OK ? list_all(f, keep_not_reached) : rc;
}

/* Finds a state of a component that no other leads to (F3). */
static int find_source(fixpoint *f, const uint32_t *predecessor, om_id *rest)
{
    int rc = OM_OK;
    while (rc == OM_OK && f->count != 0) {
        uint32_t at = 0;
        rc = om_queue__read(&f->m->queue, &f->list, 0, &at, sizeof at);
        if (rc == OM_OK)
            rc = om_member__find_cycle(f->m, predecessor, at, &at);
        *rest = at;
        if (rc == OM_OK)
            rc = take_off(f, at);
    }
    return rc;
}

static int find_evidence(fixpoint *f, om_id *rest)
{
    om_member *m = f->m;
    const size_t bytes = (size_t) m->table.stored * sizeof(uint32_t);
    uint32_t *predecessor = om_alloc(m->heap, m->table.stored, sizeof *predecessor);
    int rc =
        predecessor == NULL ? om_fail_memory(m->ctx) : om_state_table__make_room(&m->table, bytes);
    if (rc == OM_OK)
        rc = om_queue__take_zero(&m->queue, &f->predecessor, m->table.stored, sizeof *predecessor);
    if (rc == OM_OK)
        rc = om_member__recheck(m, &f->list, f->count, note_predecessors, f);
    if (rc == OM_OK)
        rc = om_queue__read(&m->queue, &f->predecessor, 0, predecessor, bytes);
    if (rc == OM_OK)
        rc = find_source(f, predecessor, rest);
    om_free(m->heap, predecessor);
    return rc;
}

/* ---- the fixpoint ---- */

static int take_buffers(fixpoint *f)
{
    om_member *m = f->m;
    const om_automaton *a = m->spec->automaton;
    const size_t stored = m->table.stored;
    om_buffer *arrays[] = { &f->list, &f->next, &f->rest, &f->now, NULL };
    int rc = om_state_table__make_room(&m->table, (4 * (uint64_t) stored + 1) * sizeof(uint32_t));
    for (om_buffer **b = arrays; rc == OM_OK && *b != NULL; b++)
        rc = om_queue__take(&m->queue, *b, stored, sizeof(uint32_t));
    if (rc == OM_OK)
        rc = om_queue__take(&m->queue, &f->length, 1, sizeof(uint32_t));
    if (rc == OM_OK)
        rc = om_queue__take(
            &m->queue, &f->begin, om_automaton_state_count(a) + (size_t) 1, sizeof(uint32_t));
    if (rc == OM_OK)
        rc = om_queue__take(&m->queue, &f->edges, om_automaton_edge_count(a), 3 * sizeof(uint32_t));
    return rc;
}

int om_fixpoint__run(om_member *m, om_marks all, om_id *rest, uint64_t *rounds)
{
    fixpoint f = { .m = m };
    om_buffer *buffers[] = { &f.list, &f.next, &f.length, &f.rest, &f.now, &f.predecessor, &f.begin,
        &f.edges, NULL };
    int rc = take_buffers(&f);
    if (rc == OM_OK)
        rc = all_rounds(&f, all);
    if (rc == OM_OK && f.count != 0)
        rc = find_evidence(&f, rest);
    for (om_buffer **b = buffers; *b != NULL; b++)
        om_queue__give(&m->queue, *b);
    *rounds = f.rounds;
    return rc;
}
