/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.h: evidence of a task as product vectors, and lassos from given evidence. */
#ifndef OMEN_TESTS_EVIDENCE_H
#define OMEN_TESTS_EVIDENCE_H

#include <omen/host/lasso.h>

#include <stdlib.h>

/* Returns the *n vectors of the evidence (NULL if there is none); the caller free()s them. */
static inline uint32_t *evidence_vectors(om_task *t, size_t *n)
{
    const om_evidence *e = om_task_evidence_of(t);
    om_cursor *c = NULL;
    *n = e == NULL ? 0 : e->length;
    if (e == NULL || om_task_cursor(t, 0, &c) != OM_OK)
        return NULL;
    size_t words = om_product_words(om_task_product(t));
    uint32_t *vectors = calloc(e->length, words * sizeof *vectors);
    for (size_t i = 0; vectors != NULL && i < e->length; i++)
        om_cursor_vector(c, e->path[i], vectors + i * words);
    return vectors;
}

/* Extracts the lasso of one state, with all its states, as if a checker had reported the state. */
static inline int evidence_extract(
    om_context *ctx, const om_product_spec *product, const uint32_t *vector, om_lasso *out)
{
    const om_task_spec spec = { .product = *product, .strength = OM_STRONG };
    om_task *t = NULL;
    om_cursor *c = NULL;
    om_id id = OM_NO_ID;
    bool fresh;
    int rc = om_task_new(&t, ctx, &spec);
    if (rc == OM_OK)
        rc = om_task_cursor(t, 0, &c);
    if (rc == OM_OK)
        rc = om_cursor_intern(c, vector, &id, &fresh);
    if (rc == OM_OK)
        rc = om_task_found(t, 0, &id, 1);
    om_control_forget(om_context_control(ctx)); /* evidence stops it */
    if (rc == OM_ESTOP)
        rc = om_lasso_extract(out, ctx, t);
    om_task_free(t);
    return rc;
}

#endif
