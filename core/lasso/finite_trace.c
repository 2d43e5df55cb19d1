/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortest traces of a model, for callers without a search that can give one: a device does not
 * keep parents, and an overflow may be counted but not located. This is a breadth-first search over
 * a product without automaton, on the vm, with one worker, so its result is nearest and
 * deterministic.
 */
#include "finite_trace.h"

#include <omen/plugin/bfs.h>
#include <omen/host/lasso.h>

#include "product.h"

#include <string.h>

typedef struct wanted {
    const om_executor *x;
    const uint32_t *vector;
    om_expr condition;
    om_successors next;
    int rc;
} wanted;

static bool is_wanted(void *self, unsigned worker, om_id id, const uint32_t *vector)
{
    wanted *w = self;
    om_fault fault = 0;
    (void) worker;
    (void) id;
    if (w->vector != NULL)
        return memcmp(vector, w->vector, w->x->words * sizeof *vector) == 0;
    if (w->condition != 0)
        return (w->x->labels(w->x, vector, &fault) & 1u) != 0 && fault == 0;
    int rc = om_executor_successors(w->x, vector, &w->next);
    if (rc != OM_OK)
        w->rc = rc;
    return rc == OM_OK && w->next.fault == 0 && w->next.count == 0;
}

static int search(om_lasso *out, om_context *ctx, om_product *p, wanted *w)
{
    const om_bfs_spec spec = { OM_BFS_SPEC(p), .self = w, .wanted = is_wanted, .paths = true };
    om_bfs *b = NULL;
    om_cursor *c = NULL;
    om_id *path = NULL;
    size_t n = 0;
    int rc = om_cursor__open(&c, p, 0);
    if (rc == OM_OK)
        rc = om_bfs_new(&b, &spec);
    if (rc == OM_OK) {
        rc = om_bfs_work(b, 0, c);
        if (om_bfs_hit(b) != OM_NO_ID)
            rc = om_bfs_path(b, c, om_bfs_hit(b), &path, &n);
        else if (rc == OM_ESTOP && om_context_stopped(ctx) != OM_OK)
            rc = om_context_stopped(ctx);
        else if (rc == OM_OK && w->rc != OM_OK)
            rc = om_fail_memory(ctx);
        else if (rc == OM_OK || rc == OM_EMODEL)
            rc = om_fail(
                ctx, OM_EINTERNAL, NULL, "the vm does not reach a state that the search found");
    }
    if (rc == OM_OK)
        rc = om_lasso__from_path(out, ctx, p, c, path, n, OM_NO_LOOP);
    om_free(om_context_heap(ctx), path);
    om_bfs_free(b);
    om_cursor__close(c);
    return rc;
}

int om_lasso__trace(
    om_lasso *out, om_context *ctx, om_model *m, const uint32_t *vector, om_expr condition)
{
    om_executor *x = NULL;
    om_product *p = NULL;
    wanted w = {
        .vector = vector, .condition = condition, .next = { .heap = om_context_heap(ctx) }
    };
    om_product_spec spec = { .deadlock_ap = OM_NONE, .workers = 1 };
    int rc = om_executor_open(&x, m, OM_EXEC_VM, &condition, condition == 0 ? 0 : 1);
    spec.executor = w.x = x;
    if (rc == OM_OK)
        rc = om_product__new(&p, ctx, &spec);
    if (rc == OM_OK)
        rc = search(out, ctx, p, &w);
    om_product__free(p);
    om_successors_free(&w.next);
    om_executor_close(x);
    return rc;
}
