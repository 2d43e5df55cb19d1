/* SPDX-License-Identifier: Apache-2.0 */
#include "leavers.h"

enum { MOST_LEAVERS = 1 << 22 };

typedef struct listing {
    const om_footprint *f;
    const om_tests *tests;
    uint32_t *question_of; /* by cell; OM_NONE: it has no leavers */
    const uint32_t *first_of;
    om_lists *l;
} listing;

/* Notes the questions for the values of cells, and gives them lists. */
static void number(listing *x, uint32_t *first_of)
{
    const om_footprint *f = x->f;
    const uint32_t cells = f->cell_of[om_model_slot_count(f->m)];
    for (uint32_t c = 0; c < cells; c++)
        x->question_of[c] = OM_NONE;
    for (uint32_t i = 0; i < x->tests->question_count; i++)
        if (x->tests->questions[i].test == OM_NONE)
            x->question_of[x->tests->questions[i].cell] = i;
    for (size_t i = 0; i < f->access_count; i++) {
        const om_access *a = &f->accesses[i];
        for (uint32_t c = a->cell; a->count > 1 && om_access__writes(a) && c < a->cell + a->count;
             c++)
            x->question_of[c] = OM_NONE;
    }
    for (uint32_t i = 0; i < x->tests->question_count; i++)
        first_of[i] = OM_NONE;
    for (uint32_t c = 0; c < cells; c++)
        if (x->question_of[c] != OM_NONE) {
            first_of[x->question_of[c]] = (uint32_t) x->l->lists;
            x->l->lists += x->tests->questions[x->question_of[c]].answers;
        }
    x->first_of = first_of;
}

/* Returns true if a transition may be enabled where a cell has this value. */
static bool allows(const om_footprint *f, uint32_t t, uint32_t cell, int64_t value)
{
    for (uint32_t i = f->first_conjunct[t]; i < f->first_conjunct[t + 1]; i++) {
        const om_conjunct *c = &f->conjuncts[i];
        const om_access *a = &f->accesses[c->first];
        if (c->count == 1 && om_access__tests(a) && a->cell == cell &&
            !om_access__passes(a, (om_value) value))
            return false;
    }
    return true;
}

/* Counts a transition in the lists of the values that it changes by a write, or adds it if there is
 * room for the members. */
static void list_write(const listing *x, uint32_t t, const om_access *write)
{
    const uint32_t question = x->question_of[write->cell];
    const om_question *q = &x->tests->questions[question];
    om_lists *l = x->l;
    for (uint32_t v = 0; v < q->answers; v++) {
        const int64_t value = om_tests__value(q, v);
        const uint32_t list = x->first_of[question] + v;
        if ((write->kind == OM_WRITE_CONST && write->value == value) ||
            !allows(x->f, t, write->cell, value))
            continue;
        if (l->at == NULL) {
            l->first[list + 2]++;
            l->count++;
        } else
            l->at[l->first[list + 1]++] = t;
    }
}

static void list_all(const listing *x, const om_depend *d)
{
    const om_footprint *f = x->f;
    for (uint32_t t = 0; t < f->transitions && x->l->count <= MOST_LEAVERS; t++)
        for (uint32_t i = f->first[t]; i < f->first[t + 1] && !om_depend__is_never(d, t); i++)
            if (om_access__writes(&f->accesses[i]) && f->accesses[i].count == 1 &&
                x->question_of[f->accesses[i].cell] != OM_NONE)
                list_write(x, t, &f->accesses[i]);
}

/* A counting sort. */
static int sort(const listing *x, const om_depend *d, uint32_t *first_of)
{
    om_lists *l = x->l;
    if (!OM_NEW(d->m->heap, l->first, l->lists + 3))
        return OM_ENOMEM;
    list_all(x, d);
    if (l->count > MOST_LEAVERS) {
        for (uint32_t i = 0; i < x->tests->question_count; i++)
            first_of[i] = OM_NONE;
        l->lists = l->count = 0;
        l->first[0] = l->first[1] = 0;
        return OM_OK;
    }
    for (size_t i = 2; i < l->lists + 2; i++)
        l->first[i] += l->first[i - 1];
    if (!OM_NEW(d->m->heap, l->at, l->count + 1))
        return OM_ENOMEM;
    list_all(x, d);
    return OM_OK;
}

int om_leavers__list(const om_depend *d, const om_tests *t, uint32_t *first_of, om_lists *l)
{
    listing x = { .f = &d->footprint, .tests = t, .l = l };
    const size_t cells = x.f->cell_of[om_model_slot_count(d->m)];
    *l = (om_lists){ .lists = 0 };
    if (!OM_NEW(d->m->heap, x.question_of, cells + 1))
        return OM_ENOMEM;
    number(&x, first_of);
    const int rc = sort(&x, d, first_of);
    om_free(d->m->heap, x.question_of);
    return rc;
}
