/* SPDX-License-Identifier: Apache-2.0 */
/* arithmetic.h: a small model without text, an automaton for it, and their task. */
#ifndef OMEN_TESTS_SEARCH_ARITHMETIC_H
#define OMEN_TESTS_SEARCH_ARITHMETIC_H

#include <omen/plugin/dfs.h>
#include <omen/host/omen.h>

/* States 0 .. STATES-1; edges from i to 2i+1, 2i+2 and 7i+3, all modulo STATES. */
enum { STATES = 300, OUT = 3, AUTOMATON_STATES = 2, INITIAL = 2, NARROW = 23, WIDE = 24 };

static void initial(const om_executor *x, uint32_t *vector)
{
    (void) x;
    vector[0] = 0;
}

static int append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    uint32_t i = vector[0];
    const uint32_t to[OUT] = { 2 * i + 1, 2 * i + 2, 7 * i + 3 };
    out->fault = 0;
    if (om_successors_reserve(out, out->count + OUT, x->words) != OM_OK)
        return OM_ENOMEM;
    for (uint32_t k = 0; k < OUT; k++) {
        out->words[out->count * out->stride] = to[k] % STATES;
        out->transition[out->count++] = k;
    }
    return OM_OK;
}

static const om_executor executor = { .size = sizeof(om_executor),
    .name = "arithmetic",
    .words = 1,
    .initial = initial,
    .append = append };

/* Makes an automaton with two states, both initial, and an edge with distinct marks, some of them
 * the highest, for each pair. */
static inline int new_automaton(om_automaton **out, om_context *ctx, uint32_t sets)
{
    static const om_cube all = { 0, 0 };
    om_automaton *a = NULL;
    uint32_t first;
    int rc = om_automaton_new(&a, ctx, 0, NULL);
    *out = a;
    if (rc == OM_OK)
        rc = om_automaton_add_states(a, AUTOMATON_STATES, &first);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, sets);
    for (uint32_t q = 0; q < AUTOMATON_STATES && rc == OM_OK; q++) {
        rc = om_automaton_add_initial(a, q);
        for (uint32_t t = 0; t < AUTOMATON_STATES && rc == OM_OK; t++)
            rc = om_automaton_add_edge(
                a, q, t, UINT64_C(1) << (t == 0 ? sets - 1 : q) | t << 5, &all, 1);
    }
    return rc == OM_OK ? om_automaton_finish(a) : rc;
}

typedef struct fixture {
    om_context *ctx;
    om_automaton *a;
    om_task *task;
} fixture;

static inline int new_task_of(fixture *f, uint32_t sets, unsigned workers)
{
    int rc = new_automaton(&f->a, f->ctx, sets);
    om_task_spec spec = { .product = { .executor = &executor,
                              .automaton = f->a,
                              .deadlock_ap = OM_NONE,
                              .workers = workers },
        .strength = OM_STRONG };
    return rc == OM_OK ? om_task_new(&f->task, f->ctx, &spec) : rc;
}

static inline int new_task(fixture *f, uint32_t sets)
{
    return new_task_of(f, sets, 1);
}

static inline void free_all(fixture *f)
{
    om_task_free(f->task);
    om_automaton_free(f->a);
    om_context_free(f->ctx);
}

#endif
