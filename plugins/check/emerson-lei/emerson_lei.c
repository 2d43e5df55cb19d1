/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emerson-lei: emptiness under Streett acceptance by components of components, after E. A. Emerson,
 * C.-L. Lei, "Modalities for model checking: branching time logic strikes back", Science of
 * Computer Programming 8 (1987): the fair state problem.
 *
 * A maximal component whose marks meet all clauses accepts. A component that lacks the Inf of a
 * clause without Fin has no accepting cycle. Any other component may have accepting cycles among
 * its edges without the marks of Fin whose Inf it lacks, because no accepting cycle in it has such
 * an edge: the rest of the component is searched for components again, and so on.
 *
 * The checker handles fairness to any number of processes, by the processes that move along edges
 * (fair_processes.h):
 *   weak      if a process can always move in a component and never does, the component has no fair
 *             cycle;
 *   strong    if a process can move somewhere in it and never does, the process can move in no
 *             state of a fair cycle there: the component is reduced by those states.
 * A component is reported as soon as the known edges meet all conditions.
 *
 * Termination and cost: each repeated search lacks an edge or a state that the component had, and
 * each time one more mark of Fin is avoided, or the states of one more process. So a state is
 * expanded at most once more than there are clauses with Fin and processes (strong).
 *
 * The first search goes through the whole product. A component that it leaves and that may be
 * searched again is searched at once by a second search, with stacks of its own; the parts of that
 * component that must be searched again wait in one list. When a component is complete, no edge
 * leads from it to an unknown state, or to a live state outside it; and no edge that is followed
 * leads from one part to another.
 *
 * One worker; `streett` does the same with marks only, and in parallel.
 */
#include "search.h"

#include <assert.h>
#include <string.h>

/* States that wait for another search */
typedef struct part {
    size_t first; /* of its states, in run->waiting; they end where the next part begins */
    om_marks avoid;
} part;

struct om_run {
    om_task *task;
    clauses clauses;
    shared shared;
    search whole, within; /* the product; parts of a component */
    om_id *waiting;       /* states of the parts, one part after the other */
    size_t waiting_count, waiting_room;
    part *parts;
    uint64_t *rows; /* for each part: `never` of its search */
    size_t part_count, part_room, rows_room;
    om_id *states; /* of the part that is being searched */
    size_t states_room;
};

static int fail_memory(const om_run *run)
{
    return om_fail_memory(om_task_context(run->task));
}

/* Adds a part of a component, which `by` has searched, to the list. It has no states that were left
 * out before, but may have such edges. */
static int add_part(om_run *run, const search *by, const om_id *states, size_t n, om_marks unmet,
    const uint64_t *never)
{
    const om_heap *heap = run->shared.heap;
    const size_t words = run->shared.words;
    om_id *waiting =
        om_grow(heap, run->waiting, &run->waiting_room, run->waiting_count + n, sizeof *waiting);
    run->waiting = waiting != NULL ? waiting : run->waiting;
    part *parts = om_grow(heap, run->parts, &run->part_room, run->part_count + 1, sizeof *parts);
    run->parts = parts != NULL ? parts : run->parts;
    uint64_t *rows =
        om_grow(heap, run->rows, &run->rows_room, (run->part_count + 1) * words + 1, sizeof *rows);
    run->rows = rows != NULL ? rows : run->rows;
    if (waiting == NULL || parts == NULL || rows == NULL)
        return fail_memory(run);
    memcpy(waiting + run->waiting_count, states, n * sizeof *states);
    for (size_t i = 0; i < words; i++)
        rows[run->part_count * words + i] = never[i];
    parts[run->part_count++] = (part){ .first = run->waiting_count, .avoid = by->avoid | unmet };
    run->waiting_count += n;
    return OM_OK;
}

/* Callback of the second search: adds the part to the list. */
static int set_aside(
    void *self, const om_id *states, size_t n, om_marks unmet, const uint64_t *never)
{
    om_run *run = self;
    return add_part(run, &run->within, states, n, unmet, never);
}

/* Searches the last part of the list, and removes it from the list first. */
static int search_part(om_run *run)
{
    const part last = run->parts[--run->part_count];
    assert(last.first < run->waiting_count);
    const size_t n = run->waiting_count - last.first, words = run->shared.words;
    if (!OM_ROOM(run->shared.heap, run->states, &run->states_room, n))
        return fail_memory(run);
    memcpy(run->states, run->waiting + last.first, n * sizeof *run->states);
    run->waiting_count = last.first;
    run->within.avoid = last.avoid;
    if (words != 0)
        memcpy(run->within.never, run->rows + run->part_count * words, words * sizeof *run->rows);
    return search_among(&run->within, run->states, n);
}

/* Callback of the first search: searches the component again at once. */
static int search_again(
    void *self, const om_id *states, size_t n, om_marks unmet, const uint64_t *never)
{
    om_run *run = self;
    int rc = add_part(run, &run->whole, states, n, unmet, never);
    while (rc == OM_OK && run->part_count > 0)
        rc = search_part(run);
    return rc;
}

/* Gets the initial states; the caller frees *out. */
static int initial_states(const om_run *run, om_id **out, size_t *n)
{
    const om_step *steps;
    int rc = om_cursor_initial(run->shared.cursor, &steps, n);
    if (rc != OM_OK)
        return rc;
    *out = om_alloc(run->shared.heap, *n + 1, sizeof **out);
    for (size_t i = 0; *out != NULL && i < *n; i++)
        (*out)[i] = steps[i].to;
    return *out == NULL ? fail_memory(run) : OM_OK;
}

static int work(om_run *run, unsigned worker)
{
    om_id *initial = NULL;
    size_t n = 0;
    int rc = om_task_cursor(run->task, worker, &run->shared.cursor);
    if (rc == OM_OK)
        rc = initial_states(run, &initial, &n);
    if (rc == OM_OK)
        rc = search_among(&run->whole, initial, n);
    om_free(run->shared.heap, initial);
    if (rc == OM_OK) {
        om_task_complete(run->task);
        om_task_add_sccs(run->task, run->whole.components);
    }
    om_task_count(run->task, OM_COUNT_RED, run->within.states);
    om_task_count(run->task, OM_COUNT_PEAK_STACK, run->whole.peak + run->within.peak);
    om_task_add_counts(run->task, 0, 0,
        om_side_bytes(run->shared.numbers) + search_bytes(&run->whole) +
            search_bytes(&run->within) + (run->waiting_room + run->states_room) * sizeof(om_id) +
            run->part_room * sizeof *run->parts + run->rows_room * sizeof *run->rows);
    return rc;
}

static void destroy(om_run *run)
{
    const om_heap *heap = om_task_heap(run->task);
    search_free(&run->whole);
    search_free(&run->within);
    om_side_free(run->shared.numbers);
    OM_FREE_ALL(heap, run->shared.able, run->waiting, run->parts, run->rows, run->states);
    clauses_free(&run->clauses, heap);
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    const om_fair_processes *fair_processes = om_product_fair_processes(om_task_product(task));
    (void) options;
    run->task = task;
    run->shared = (shared){ .task = task,
        .heap = om_task_heap(task),
        .clauses = &run->clauses,
        .fair_processes = fair_processes,
        .words = om_fair_processes_words(fair_processes) };
    run->whole = (search){ .in = &run->shared, .again = search_again, .self = run };
    run->within = (search){ .in = &run->shared, .again = set_aside, .self = run };
    /* One more word, so that there is a row even without processes. */
    run->shared.able = om_alloc(run->shared.heap, run->shared.words + 1, sizeof(uint64_t));
    run->within.never = om_alloc(run->shared.heap, run->shared.words + 1, sizeof(uint64_t));
    if (run->shared.able == NULL || run->within.never == NULL)
        return fail_memory(run);
    int rc = om_side_new(&run->shared.numbers, om_task_product(task), sizeof(uint32_t));
    return rc == OM_OK ? clauses_read(&run->clauses, om_task_automaton(task), om_task_context(task))
                       : rc;
}

/* The lowest rank: the default only if no other checker applies. */
static const om_rank ranks[] = { { OM_FOR_STRONG, 1, 1, 1 }, { 0, 0, 0, 0 } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "emerson-lei",
        "components of components; fairness for any number of processes", "Emerson, Lei 1987",
        NULL),
    .strengths = OM_FOR_ALL,
    .acceptance =
        OM_ACCEPT_BUCHI | OM_ACCEPT_GENERALIZED_BUCHI | OM_ACCEPT_CO_BUCHI | OM_ACCEPT_STREETT,
    .flags = OM_CHECKER_SHARES_STATES,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .ranks = ranks,
    .product = OM_PRODUCT_FAIR_PROCESSES,
    .destroy = destroy,
};
