/* SPDX-License-Identifier: Apache-2.0 */
#include "relations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { STATES = 120 };

static bool has(const om_lists *l, uint32_t list, uint32_t transition)
{
    for (uint32_t i = l->first[list]; i < l->first[list + 1]; i++)
        if (l->at[i] == transition)
            return true;
    return false;
}

/* Returns the row of a transition, or NULL. */
static const uint32_t *row_of(const om_successors *s, uint32_t transition)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->transition[i] == transition)
            return s->words + i * s->stride;
    return NULL;
}

static bool successors(const relations *r, const uint32_t *vector, om_successors *out)
{
    out->fault = 0;
    assert_int_equal(om_executor_successors(r->x, vector, out), OM_OK);
    return out->fault == 0;
}

static bool is_held(const relations *r, const uint32_t *vector)
{
    const om_footprint *f = &r->d.footprint;
    return f->holder != OM_NONE &&
           om_slot_get(om_model__slot(r->m, f->slot_of[f->holder]), vector, 0) != 0;
}

/* ---- steps with their sequences ---- */

/* Returns false if there is no room. */
static bool add_end(const relations *r, ends *e, const uint32_t *vector)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (memcmp(e->at[i], vector, r->x->words * sizeof *vector) == 0)
            return true;
    if (e->count == MOST_ENDS)
        return false;
    memcpy(e->at[e->count++], vector, r->x->words * sizeof *vector);
    return true;
}

bool relations_ends(relations *r, const uint32_t *from, uint32_t t, ends *e, bool *disabled)
{
    ends on_the_way = { .count = 0 };
    if (!successors(r, from, &r->out))
        return false;
    const uint32_t *row = row_of(&r->out, t);
    *disabled = row == NULL;
    if (row == NULL || !add_end(r, &on_the_way, row))
        return false;
    for (uint32_t i = 0; i < on_the_way.count; i++) {
        if (!is_held(r, on_the_way.at[i])) {
            if (!add_end(r, e, on_the_way.at[i]))
                return false;
            continue;
        }
        if (!successors(r, on_the_way.at[i], &r->out)) {
            e->faults = true;
            continue;
        }
        for (size_t k = 0; k < r->out.count; k++)
            if (!add_end(r, &on_the_way, r->out.words + k * r->out.stride))
                return false;
    }
    return true;
}

/* Adds the ends of u's step from all ends of t's step. */
static bool add_both(relations *r, const ends *after_t, uint32_t u, ends *e)
{
    for (uint32_t i = 0; i < after_t->count; i++) {
        bool disabled = false;
        const bool added = relations_ends(r, after_t->at[i], u, e, &disabled);
        assert_false(disabled); /* D1 */
        if (!added)
            return false;
    }
    return true;
}

/* D1: both orders lead to the same states. */
static void try_both(relations *r, const uint32_t *vector, uint32_t t, uint32_t u)
{
    ends after_t = { .count = 0 }, after_u = { .count = 0 }, both = { .count = 0 },
         too = { .count = 0 };
    bool disabled;
    if (has(&r->d.rivals, t, u) || !relations_ends(r, vector, t, &after_t, &disabled) ||
        !relations_ends(r, vector, u, &after_u, &disabled) || !add_both(r, &after_t, u, &both) ||
        !add_both(r, &after_u, t, &too))
        return;
    /* A3: neither makes the other fault on its way. */
    assert_true(after_t.faults || !too.faults);
    assert_true(after_u.faults || !both.faults);
    if (after_t.faults || after_u.faults)
        return;
    assert_int_equal(both.count, too.count);
    for (uint32_t i = 0; i < both.count; i++)
        assert_true(add_end(r, &too, both.at[i]) && too.count == both.count);
    r->pairs++;
}

/* ---- guards ---- */

/* Two states: what a conjunct reads is taken from `now`, and what the relations take for constant
 * from `settled`: what an ended process has held is reset, but no longer read. */
typedef struct moment {
    const om_conjunct *c;
    const uint32_t *now, *settled;
} moment;

static om_value value_at(const relations *r, const moment *at, uint32_t slot, uint32_t index)
{
    const om_footprint *f = &r->d.footprint;
    const uint32_t cell = f->cell_of[slot] + index;
    bool reads = false;
    for (uint32_t i = at->c->first; i < at->c->first + at->c->count; i++)
        reads = reads ||
                (f->accesses[i].cell <= cell && cell < f->accesses[i].cell + f->accesses[i].count);
    return om_slot_get(om_model__slot(r->m, slot), reads ? at->now : at->settled, index);
}

/* Evaluates an expression. Returns false if it faults, or an operand does that need not be
 * evaluated. */
static bool evaluate(const relations *r, const moment *at, om_expr e, om_value *v)
{
    const om_node *n = &r->m->nodes[e];
    om_value a = 0, b = 0;
    if (n->op == OM_OP_CONST || n->op == OM_OP_SLOT) {
        *v = n->op == OM_OP_CONST ? n->value : value_at(r, at, n->a, 0);
        return true;
    }
    if (n->op == OM_OP_ELEMENT) {
        if (!evaluate(r, at, n->b, &b) || b < 0 ||
            (uint32_t) b >= om_model__slot(r->m, n->a)->length)
            return false;
        *v = value_at(r, at, n->a, (uint32_t) b);
        return true;
    }
    return evaluate(r, at, n->a, &a) && (n->b == 0 || evaluate(r, at, n->b, &b)) &&
           om_fold__constant((om_op) n->op, a, b, v);
}

/* Returns true if a conjunct is certainly false. */
static bool fails(const relations *r, const moment *at)
{
    om_value v;
    return evaluate(r, at, at->c->expression, &v) && (v != 0) == at->c->negated;
}

/* Returns true if the enablers of the conjunct alone can make it true (F6). */
static bool decides(
    const relations *r, const om_conjunct *c, const uint32_t *now, const uint32_t *settled)
{
    const om_footprint *f = &r->d.footprint;
    const moment at = { c, now, settled },
                 behind = { &f->conjuncts[c->behind == OM_NONE ? 0 : c->behind], now, settled };
    return fails(r, &at) && (c->behind == OM_NONE || !fails(r, &behind));
}

/* D2: after steps of t, a conjunct that was false is true only if t is an enabler. */
static void look_at_conjuncts(relations *r, const uint32_t *vector, uint32_t t, const ends *after)
{
    const om_footprint *f = &r->d.footprint;
    for (uint32_t w = 0; w < f->all; w++)
        for (uint32_t c = f->first_conjunct[w]; c < f->first_conjunct[w + 1]; c++) {
            if (!decides(r, &f->conjuncts[c], vector, vector) ||
                has(&r->d.enablers, r->d.enabler_of[c], t))
                continue;
            for (uint32_t i = 0; i < after->count; i++)
                assert_true(decides(r, &f->conjuncts[c], after->at[i], vector));
            r->guards++;
        }
}

/* Returns true if a step itself, and no guard or assertion, may fault. */
static bool faults_by_step(relations *r)
{
    bool may = false;
    for (uint32_t t = 0; t < r->d.footprint.transitions && !may; t++)
        may = om_footprint__step_may_fault(&r->d.footprint, t);
    return may;
}

/* Returns true if a transition enables a conjunct of a watcher. */
static bool is_watched(const relations *r, uint32_t t)
{
    const om_footprint *f = &r->d.footprint;
    bool watched = false;
    for (uint32_t c = f->first_conjunct[f->transitions]; c < f->first_conjunct[f->all]; c++)
        watched = watched || has(&r->d.enablers, r->d.enabler_of[c], t);
    return watched;
}

/* D2: a guard becomes true only by an enabler of one of its conjuncts, unless it is a last resort.
 */
static void look_at_guards(relations *r, uint32_t t, const ends *after)
{
    const om_footprint *f = &r->d.footprint;
    for (uint32_t i = 0; i < after->count; i++) {
        if (!successors(r, after->at[i], &r->out)) {
            assert_true(r->d.faults && (faults_by_step(r) || is_watched(r, t)));
            continue;
        }
        for (size_t k = 0; k < r->out.count; k++) {
            const uint32_t u = r->out.transition[k];
            bool enabler = om_model__is_last_resort(r->m, u);
            if (row_of(&r->first, u) != NULL)
                continue;
            for (uint32_t c = f->first_conjunct[u]; c < f->first_conjunct[u + 1]; c++)
                enabler = enabler || has(&r->d.enablers, r->d.enabler_of[c], t);
            assert_true(enabler);
        }
    }
}

/* D4 */
static void look_at_labels(
    const relations *r, const uint32_t *vector, uint32_t t, const ends *after)
{
    om_fault fault = 0;
    const uint64_t labels = r->x->labels(r->x, vector, &fault);
    for (uint32_t i = 0; i < after->count && !r->d.seen[t] && fault == 0; i++) {
        const uint64_t then = r->x->labels(r->x, after->at[i], &fault);
        assert_true(fault != 0 || then == labels);
    }
}

/* D5: only a leaver changes a cell. */
static void look_at_values(relations *r, const uint32_t *vector, uint32_t t, const ends *after)
{
    for (uint32_t q = 0; q < r->tests.question_count; q++) {
        if (r->leavers_of[q] == OM_NONE)
            continue;
        const uint32_t now = om_tests__answer(&r->tests, q, vector);
        if (has(&r->leavers, r->leavers_of[q] + now, t))
            continue;
        for (uint32_t i = 0; i < after->count; i++)
            assert_int_equal(om_tests__answer(&r->tests, q, after->at[i]), now);
        r->kept++;
    }
}

static void look_at_enabled(const relations *r)
{
    const om_footprint *f = &r->d.footprint;
    for (size_t i = 0; i < r->first.count; i++) {
        const uint32_t t = r->first.transition[i];
        assert_false(f->dead[t] || f->inner[t]);
        assert_true(om_model__is_last_resort(r->m, t) ==
                    om_model__is_last_resort(r->m, r->first.transition[0]));
    }
}

static void look_at_state(relations *r, const uint32_t *vector)
{
    if (!successors(r, vector, &r->first) || is_held(r, vector))
        return;
    const bool choice =
        om_footprint__has_choice(&r->d.footprint, vector, r->first.transition, r->first.count);
    if (!r->chooses && choice)
        memcpy(r->choice, vector, r->x->words * sizeof *vector);
    r->chooses = r->chooses || choice;
    r->settled = r->settled || choice;
    if (!r->settled)
        return;
    look_at_enabled(r);
    for (size_t i = 0; i < r->first.count; i++) {
        const uint32_t t = r->first.transition[i];
        ends after = { .count = 0 };
        bool disabled;
        for (size_t k = 0; k < r->first.count; k++)
            if (k != i)
                try_both(r, vector, t, r->first.transition[k]);
        if (!relations_ends(r, vector, t, &after, &disabled))
            continue;
        look_at_labels(r, vector, t, &after);
        look_at_guards(r, t, &after);
        look_at_conjuncts(r, vector, t, &after);
        look_at_values(r, vector, t, &after);
    }
}

void relations_walk(relations *r, om_random *random)
{
    uint32_t vector[MOST_WORDS];
    assert_true(r->x->words <= MOST_WORDS);
    r->x->initial(r->x, vector);
    for (int i = 0; i < STATES; i++) {
        look_at_state(r, vector);
        const bool goes_on = successors(r, vector, &r->first) && r->first.count > 0;
        if (goes_on)
            memcpy(vector,
                r->first.words + om_random_below(random, r->first.count) * r->first.stride,
                r->x->words * sizeof *vector);
        else
            r->x->initial(r->x, vector);
        r->settled = r->settled && goes_on;
    }
}
