/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <assert.h>
#include <stdlib.h>

/* A cell of at most so many bits has few values. */
enum { SMALL = 5 };

static int by_cell(const void *x, const void *y)
{
    const om_access *a = x, *b = y;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Returns the test that a conjunct is, or NULL. */
static const om_access *test_of(const om_footprint *f, const om_conjunct *c)
{
    const om_access *a = &f->accesses[c->first];
    return c->count == 1 && om_access__tests(a) ? a : NULL;
}

/* Returns the slot of the vectors that has the values of a slot of the model; NULL: none has. */
static const om_slot *field_of(const om_tests *t, const om_footprint *f, uint32_t slot)
{
    return t->compact != NULL ? om_compact__field(t->compact, slot) : om_model__slot(f->m, slot);
}

/* Returns the question for the value of a cell. */
static om_question question_of(const om_tests *t, const om_footprint *f, uint32_t cell)
{
    const uint32_t slot = f->slot_of[cell];
    const om_slot *field = field_of(t, f, slot);
    om_question q = { .slot = slot, .test = OM_NONE, .cell = cell };
    if (field == NULL)
        return q;
    const uint32_t at = field->position + (cell - f->cell_of[slot]) * field->bits;
    assert(field->bits > 0 && at % 32 + field->bits <= 32);
    q.slot = OM_NONE;
    q.word = at / 32;
    q.down = 32 - field->bits;
    q.up = q.down - at % 32;
    q.is_signed = om_slot__signed(field);
    q.answers = field->bits <= SMALL ? UINT32_C(1) << field->bits : 0;
    return q;
}

/* Adds a test, and its question unless the last one is for the value of the same cell. */
static void add_test(om_tests *t, const om_footprint *f, const om_access *tests, uint32_t i)
{
    const om_access *a = &tests[i];
    om_test *test = &t->tests[i];
    *test = (om_test){ .low = a->kind == OM_TEST_AT_MOST ? INT64_MIN : a->value,
        .high = a->kind == OM_TEST_AT_LEAST ? INT64_MAX : a->value,
        .outside = a->kind == OM_TEST_DIFFERS };
    if (i == 0 || tests[i - 1].cell != a->cell ||
        t->questions[t->question_count - 1].test != OM_NONE) {
        om_question q = question_of(t, f, a->cell);
        if (q.answers == 0) {
            q.test = i;
            q.answers = 2;
        }
        t->questions[t->question_count++] = q;
    }
    test->question = t->question_count - 1;
}

/* Lists the different tests, sorted; returns their number. */
static uint32_t list_tests(const om_footprint *f, om_access *tests)
{
    uint32_t all = 0, count = 0;
    for (size_t c = 0; c < f->conjunct_count; c++)
        if (test_of(f, &f->conjuncts[c]) != NULL)
            tests[all++] = *test_of(f, &f->conjuncts[c]);
    if (all > 0)
        qsort(tests, all, sizeof *tests, by_cell);
    for (uint32_t i = 0; i < all; i++)
        if (i == 0 || by_cell(&tests[count - 1], &tests[i]) != 0)
            tests[count++] = tests[i];
    return count;
}

int om_tests__open(om_tests *t, const om_footprint *f, const om_compact *compact)
{
    om_access *tests = NULL;
    *t = (om_tests){ .heap = f->m->heap, .compact = compact };
    if (!OM_NEW(t->heap, tests, f->conjunct_count + 1) ||
        !OM_NEW(t->heap, t->of, f->conjunct_count + 1)) {
        om_free(t->heap, tests);
        return OM_ENOMEM;
    }
    t->count = list_tests(f, tests);
    const bool room = OM_NEW(t->heap, t->tests, t->count + (size_t) 1) &&
                      OM_NEW(t->heap, t->questions, t->count + (size_t) 1);
    for (uint32_t i = 0; i < t->count && room; i++)
        add_test(t, f, tests, i);
    for (size_t c = 0; c < f->conjunct_count; c++) {
        const om_access *test = test_of(f, &f->conjuncts[c]);
        const om_access *found =
            test == NULL ? NULL : bsearch(test, tests, t->count, sizeof *tests, by_cell);
        t->of[c] = found == NULL ? OM_NONE : (uint32_t) (found - tests);
    }
    om_free(t->heap, tests);
    return room ? OM_OK : OM_ENOMEM;
}

void om_tests__close(om_tests *t)
{
    if (t->heap != NULL)
        OM_FREE_ALL(t->heap, t->of, t->tests, t->questions);
}

int64_t om_tests__value(const om_question *q, uint32_t bits)
{
    return q->is_signed ? (int32_t) (bits << q->down) >> q->down : (int64_t) bits;
}

uint32_t om_tests__evaluate(const om_tests *t, const om_question *q, const uint32_t *vector)
{
    assert(q->test != OM_NONE && (q->slot == OM_NONE || t->compact != NULL));
    return om_test__passes(&t->tests[q->test],
        q->slot != OM_NONE ? om_compact__get(t->compact, vector, q->slot)
                           : om_tests__value(q, vector[q->word] << q->up >> q->down));
}

bool om_tests__passes(const om_tests *t, uint32_t test, uint32_t answer)
{
    const om_test *x = &t->tests[test];
    const om_question *q = &t->questions[x->question];
    assert(answer < q->answers);
    return q->test != OM_NONE ? answer != 0 : om_test__passes(x, om_tests__value(q, answer));
}
