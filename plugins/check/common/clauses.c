/* SPDX-License-Identifier: Apache-2.0 */
#include "clauses.h"

#include <assert.h>
#include <string.h>

/* State of the reader, which reads a formula in postfix: lists of clauses, stored consecutively in
 * c->at; list i begins at first[i]. */
typedef struct reader {
    clauses *c;
    size_t *first;
    size_t lists;
} reader;

static void push(reader *r, om_acc literal)
{
    om_marks mark = UINT64_C(1) << literal.set;
    r->first[r->lists++] = r->c->count;
    if (literal.op == OM_ACC_FIN)
        r->c->at[r->c->count++] = (clause){ mark, 0 };
    else if (literal.op == OM_ACC_INF)
        r->c->at[r->c->count++] = (clause){ 0, mark };
    else if (literal.op == OM_ACC_FALSE)
        r->c->at[r->c->count++] = (clause){ 0, 0 };
}

/* Replaces the last two lists by their disjunction. Possible if one list is empty, which means
 * true, or if each has one clause. Returns true on success. */
static bool disjoin(reader *r)
{
    clauses *c = r->c;
    assert(r->lists >= 2); /* the formula is valid postfix */
    size_t left = r->first[r->lists - 2], right = r->first[r->lists - 1];
    r->lists--;
    if (left == right || right == c->count) {
        c->count = left;
        return true;
    }
    if (right - left != 1 || c->count - right != 1)
        return false;
    c->at[left].fin |= c->at[right].fin;
    c->at[left].inf |= c->at[right].inf;
    c->count = right;
    return (c->at[left].fin & (c->at[left].fin - 1)) == 0;
}

int clauses_read(clauses *c, const om_automaton *a, om_context *ctx)
{
    const om_heap *heap = om_context_heap(ctx);
    size_t length = 0;
    const om_acc *f = om_automaton_acceptance(a, &length);
    reader r = { .c = c, .first = om_alloc(heap, length, sizeof *r.first) };
    int rc = OM_OK;
    c->at = om_alloc(heap, length, sizeof *c->at);
    if (r.first == NULL || c->at == NULL)
        rc = om_fail_memory(ctx);
    for (size_t i = 0; rc == OM_OK && i < length; i++) {
        if (f[i].op == OM_ACC_AND)
            r.lists--; /* the lists are adjacent */
        else if (f[i].op != OM_ACC_OR)
            push(&r, f[i]);
        else if (!disjoin(&r))
            rc = om_fail(ctx, OM_EUSAGE, NULL,
                "the checker takes conjunctions of clauses with at most one Fin");
    }
    assert(rc != OM_OK || length == 0 || r.lists == 1);
    om_free(heap, r.first);
    return rc;
}

void clauses_free(clauses *c, const om_heap *heap)
{
    om_free(heap, c->at);
    *c = (clauses){ NULL, 0 };
}

/* Returns true if `marks` has no mark that requires `inf`, or has one of `inf`. */
static bool holds(const clause *c, om_marks marks)
{
    return (c->inf & marks) != 0 || (c->fin != 0 && (c->fin & marks) == 0);
}

bool clauses_hold(const clauses *c, om_marks marks)
{
    for (size_t i = 0; i < c->count; i++)
        if (!holds(&c->at[i], marks))
            return false;
    return true;
}

om_marks clauses_forbidden(const clauses *c)
{
    om_marks forbidden = 0;
    for (size_t i = 0; i < c->count; i++)
        forbidden |= c->at[i].inf == 0 ? c->at[i].fin : 0;
    return forbidden;
}

om_marks clauses_unmet(const clauses *c, om_marks marks, bool *hopeless)
{
    om_marks unmet = 0;
    *hopeless = false;
    for (size_t i = 0; i < c->count; i++) {
        if (holds(&c->at[i], marks))
            continue;
        unmet |= c->at[i].fin;
        *hopeless = *hopeless || c->at[i].fin == 0;
    }
    return unmet;
}

void clauses_prove(const clauses *c, om_marks marks, om_marks *see, om_marks *avoid)
{
    assert(clauses_hold(c, marks));
    *see = *avoid = 0;
    for (size_t i = 0; i < c->count; i++) {
        om_marks met = c->at[i].inf & marks;
        if (met != 0)
            *see |= met & -met; /* one mark of `inf` is enough */
        else
            *avoid |= c->at[i].fin;
    }
}
