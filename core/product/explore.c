/* SPDX-License-Identifier: Apache-2.0 */
#include "breadth.h"
#include "product_impl.h"
#include "threads.h"

#include <assert.h>
#include <string.h>

typedef struct exploration {
    om_product *p;
    om_breadth *search;
    om_cursor **cursors;
} exploration;

static void work(void *self, unsigned worker)
{
    exploration *e = self;
    /* What came of it is in the search. */
    (void) om_breadth_work(e->search, worker, e->cursors[worker]);
}

static int open_cursors(exploration *e)
{
    int rc = OM_OK;
    e->cursors = om_alloc(e->p->heap, e->p->spec.workers, sizeof(om_cursor *));
    if (e->cursors == NULL)
        return om_fail_memory(e->p->ctx);
    for (unsigned i = 0; i < e->p->spec.workers && rc == OM_OK; i++)
        rc = om_cursor_open(&e->cursors[i], e->p, i);
    return rc;
}

static int report(const exploration *e, om_exploration *out)
{
    const om_product *p = e->p;
    const uint32_t *vector = NULL;
    const om_breadth *b = e->search;
    for (unsigned i = 0; i < p->spec.workers; i++) {
        out->transitions += e->cursors[i]->all_edges;
        out->deadlocks += e->cursors[i]->deadlocks;
    }
    out->states = om_product_state_count(p);
    out->levels = b->level + 1;
    out->memory_bytes = om_product_bytes(p) + om_breadth_bytes(b);
    out->store = om_product_figures(p);
    out->overflows = om_product__overflows(p, &vector);
    if (out->overflows == 0)
        return OM_OK;
    out->overflow_vector = om_alloc(p->heap, p->model_words, sizeof *out->overflow_vector);
    if (out->overflow_vector == NULL)
        return om_fail_memory(p->ctx);
    memcpy(out->overflow_vector, vector, p->model_words * sizeof *vector);
    return OM_OK;
}

/* The fault that was met, and the way there. */
static int take_fault(const exploration *e, om_exploration *out)
{
    const om_product *p = e->p;
    om_id at = OM_NO_ID;
    om_fault fault = om_breadth_fault(e->search, &at);
    int rc = OM_OK;
    assert(fault != 0);
    out->fault_vector = om_alloc(p->heap, p->words, sizeof *out->fault_vector);
    if (out->fault_vector == NULL)
        return om_fail_memory(p->ctx);
    om_cursor_vector(e->cursors[0], at, out->fault_vector);
    rc = om_breadth_path(e->search, e->cursors[0], at, &out->fault_path, &out->fault_path_length);
    if (rc != OM_OK)
        return rc;
    out->fault = fault;
    return p->spec.executor->model != NULL
               ? om_model_fault_in(p->spec.executor->model, fault, out->fault_vector)
               : om_fail(p->ctx, OM_EMODEL, NULL, "the model went wrong");
}

static int outcome(const exploration *e, om_exploration *out)
{
    const om_breadth *b = e->search;
    if (b->rc == OM_EMODEL)
        return take_fault(e, out);
    if (b->rc != OM_OK)
        return b->rc;
    /* Stopped from outside, by a limit or a signal: figures are partial. */
    return om_control_status(b->control);
}

int om_explore(om_context *ctx, om_product *p,
    bool (*visit)(void *self, unsigned worker, om_cursor *c, om_id id), void *self,
    om_exploration *out)
{
    uint64_t start = om_clock_ns();
    om_breadth_spec spec = {
        .product = p, .self = self, .expanded = visit, .paths = true, .faults_end = true
    };
    exploration e = { .p = p };

    memset(out, 0, sizeof *out);
    int rc = open_cursors(&e);
    if (rc == OM_OK)
        rc = om_breadth_new(&e.search, &spec);
    if (rc == OM_OK)
        rc = om_threads_run(ctx, p->spec.workers, work, &e);
    if (rc == OM_OK)
        rc = report(&e, out);
    if (rc == OM_OK)
        rc = outcome(&e, out);
    out->seconds = (double) (om_clock_ns() - start) * 1e-9;
    om_breadth_free(e.search);
    for (unsigned i = 0; e.cursors != NULL && i < p->spec.workers; i++)
        om_cursor_close(e.cursors[i]);
    om_free(p->heap, e.cursors);
    return rc;
}
