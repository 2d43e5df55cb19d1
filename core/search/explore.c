/* SPDX-License-Identifier: Apache-2.0 */
#include "explore.h"

#include "bfs.h"
#include "control/control.h"
#include "model.h"
#include "product.h"
#include "threads.h"

#include <omen/plugin/explore.h>

#include <assert.h>
#include <string.h>

typedef struct exploration {
    om_context *ctx; /* the product's; so is its heap */
    const om_heap *heap;
    om_product *p;
    om_bfs *search;
    om_cursor **cursors;
    unsigned workers;
} exploration;

static void work(void *self, unsigned worker)
{
    exploration *e = self;
    /* The result is in the search. */
    om_cursor__note_use(e->cursors[worker]);
    (void) om_bfs_work(e->search, worker, e->cursors[worker]);
    om_cursor__note_use(e->cursors[worker]);
}

static int open_cursors(exploration *e)
{
    int rc = OM_OK;
    e->cursors = om_alloc(e->heap, e->workers, sizeof(om_cursor *));
    if (e->cursors == NULL)
        return om_fail_memory(e->ctx);
    for (unsigned i = 0; i < e->workers && rc == OM_OK; i++)
        rc = om_cursor__open(&e->cursors[i], e->p, i);
    return rc;
}

static int report(const exploration *e, om_exploration *out)
{
    const om_product *p = e->p;
    const uint32_t *vector = NULL;
    const size_t words = om_product_spec_of(p)->executor->words;
    const om_bfs *b = e->search;
    for (unsigned i = 0; i < e->workers; i++) {
        uint64_t edges, deadlocks;
        om_cursor__counts(e->cursors[i], &edges, &deadlocks);
        out->transitions += edges;
        out->deadlocks += deadlocks;
    }
    out->states = om_product_state_count(p);
    out->levels = b->level + 1;
    out->memory_bytes = om_product__bytes(p) + om_bfs_bytes(b);
    out->store = om_product__figures(p);
    out->overflows = om_product__overflows(p, &vector);
    if (out->overflows == 0)
        return OM_OK;
    if (!OM_NEW(e->heap, out->overflow_vector, words))
        return om_fail_memory(e->ctx);
    memcpy(out->overflow_vector, vector, words * sizeof *vector);
    return OM_OK;
}

/* Writes the fault that was met and the path to it. */
static int take_fault(const exploration *e, om_exploration *out)
{
    const om_model *model = om_product_spec_of(e->p)->executor->model;
    om_id at = OM_NO_ID;
    om_fault fault = om_bfs_fault(e->search, &at);
    int rc = OM_OK;
    assert(fault != 0);
    if (!OM_NEW(e->heap, out->fault_vector, om_product_words(e->p)))
        return om_fail_memory(e->ctx);
    om_cursor_vector(e->cursors[0], at, out->fault_vector);
    /* If the model is read again with more room, the path is of no use. */
    if (e->search->spec.paths && (model == NULL || !om_model__is_outgrown(model, fault)))
        rc = om_bfs_path(e->search, e->cursors[0], at, &out->fault_path, &out->fault_path_length);
    if (rc != OM_OK)
        return rc;
    out->fault = fault;
    return model != NULL ? om_model_fault_in(model, fault, out->fault_vector)
                         : om_fail(e->ctx, OM_EMODEL, NULL, "the model has an error");
}

static int outcome(const exploration *e, om_exploration *out)
{
    const om_bfs *b = e->search;
    if (b->rc == OM_EMODEL)
        return take_fault(e, out);
    if (b->rc != OM_OK)
        return b->rc;
    /* Stopped by a limit or a signal: figures are partial. */
    return om_control__status(b->control);
}

static void close_all(exploration *e)
{
    om_bfs_free(e->search);
    for (unsigned i = 0; e->cursors != NULL && i < e->workers; i++)
        om_cursor__close(e->cursors[i]);
    om_free(e->heap, e->cursors);
}

int om_explore__with(om_context *ctx, const om_bfs_spec *spec, void (*begun)(void *self, om_bfs *b),
    int (*ended)(void *self, om_bfs *b, om_cursor *c, int rc), om_exploration *out)
{
    uint64_t start = om_clock_ns();
    exploration e = { .ctx = om_product_context(spec->product),
        .heap = om_context_heap(om_product_context(spec->product)),
        .p = spec->product,
        .workers = om_product_spec_of(spec->product)->workers };

    memset(out, 0, sizeof *out);
    int rc = open_cursors(&e);
    if (rc == OM_OK)
        rc = om_bfs_new(&e.search, spec);
    if (rc == OM_OK && begun != NULL)
        begun(spec->self, e.search);
    if (rc == OM_OK)
        rc = om_threads__run(ctx, e.workers, NULL, work, &e);
    if (rc == OM_OK)
        rc = report(&e, out);
    if (rc == OM_OK) {
        rc = outcome(&e, out);
        int told = ended != NULL && (rc == OM_OK || rc == OM_ELIMIT || rc == OM_EMODEL)
                       ? ended(spec->self, e.search, e.cursors[0], rc)
                       : OM_OK;
        rc = told != OM_OK ? told : rc;
    }
    out->seconds = (double) (om_clock_ns() - start) * 1e-9;
    close_all(&e);
    return rc;
}

int om_explore__all(om_context *ctx, om_product *p,
    bool (*visit)(void *self, unsigned worker, om_cursor *c, om_id id), void *self, bool paths,
    om_exploration *out)
{
    const om_bfs_spec spec = { OM_BFS_SPEC(p), .self = self, .expanded = visit, .paths = paths,
        .faults_end = true };
    return om_explore__with(ctx, &spec, NULL, NULL, out);
}
