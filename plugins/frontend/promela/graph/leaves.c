/* SPDX-License-Identifier: Apache-2.0 */
/* The statements that a process may execute at a control point. */
#include "flow_graph.h"

#include <assert.h>

static int add_leaf(pml_file *f, const pml_node *n, uint32_t rank, pml_leaves *out)
{
    assert(n->kind == PML_N_LEAF || n->kind == PML_N_JUMP || n->kind == PML_N_END); /* G3 */
    if (!OM_ROOM(f->region.heap, out->at, &out->capacity, out->count + 1))
        return om_fail_memory(f->ctx);
    out->at[out->count++] = (pml_leaf){ n, rank };
    return OM_OK;
}

int pml_add_leaves(pml_file *f, const pml_node *n, pml_leaves *out)
{
    int rc = OM_OK;
    if (n->kind == PML_N_BLOCK || n->kind == PML_N_UNLESS)
        return pml_add_leaves(f, n->first, out);
    if (n->kind == PML_N_CHOICE) {
        for (uint32_t i = 0; i < n->option_count && rc == OM_OK; i++)
            rc = pml_add_leaves(f, n->options[i], out);
        return rc;
    }
    return add_leaf(f, n, 0, out);
}

static bool is_among(const pml_leaves *leaves, const pml_node *n)
{
    for (size_t i = 0; i < leaves->count; i++)
        if (leaves->at[i].node == n)
            return true;
    return false;
}

/*
 * Adds the leaves of an escape, as one more rank, to the leaves of n found so far, which are tried
 * after it. SPIN builds its lists control point by control point, in the order in which the points
 * end in the text: the list of a point that encloses an `unless` begins with the escape's whole
 * list, including escapes from the escape, as if it were one. A statement that is the body of an
 * `unless` without braces is no control point of its own: the `unless` is, and encloses itself.
 */
static int add_escape(
    pml_file *f, const pml_node *n, const pml_escape *e, uint32_t rank, pml_leaves *out)
{
    pml_leaves own = { .at = NULL };
    bool around =
        (e->unless->number > n->number && e->unless->number < n->end) || n->bare == e->unless;
    int rc = around ? pml_leaves_of(f, e->first, &own) : pml_add_leaves(f, e->first, &own);
    for (size_t i = own.count; i-- > 0 && rc == OM_OK;)
        if (!is_among(out, own.at[i].node))
            rc = add_leaf(f, own.at[i].node, rank, out);
    om_free(f->region.heap, own.at);
    return rc;
}

/* Inner escapes are added first, so outer ones take precedence. */
static int add_escapes(
    pml_file *f, const pml_node *n, const pml_escape *e, uint32_t *rank, pml_leaves *out)
{
    if (e == NULL)
        return OM_OK;
    int rc = add_escapes(f, n, e->next, rank, out);
    return rc == OM_OK ? add_escape(f, n, e, ++*rank, out) : rc;
}

int pml_leaves_of(pml_file *f, const pml_node *n, pml_leaves *out)
{
    uint32_t rank = 0;
    out->count = 0;
    out->in_d_step = n->d_step != NULL;
    int rc = pml_add_leaves(f, n, out);
    size_t plain = out->count;
    assert(rc != OM_OK || plain != 0); /* G3 */
    for (size_t i = 0; i < plain && rc == OM_OK; i++)
        rc = add_escapes(f, n, out->at[i].node->escapes, &rank, out);
    if (rank == 0 || rc != OM_OK)
        return rc;
    /* Reverses the order, so that the leaf added last is tried first; the plain statements keep
     * their order, at the end. */
    for (size_t i = 0, k = out->count - 1; i < k; i++, k--) {
        pml_leaf first = out->at[i];
        out->at[i] = out->at[k];
        out->at[k] = first;
    }
    for (size_t i = out->count - plain, k = out->count - 1; i < k; i++, k--) {
        pml_leaf first = out->at[i];
        out->at[i] = out->at[k];
        out->at[k] = first;
    }
    for (size_t i = 0; i < out->count; i++)
        out->at[i].rank = rank - out->at[i].rank;
    return OM_OK;
}
