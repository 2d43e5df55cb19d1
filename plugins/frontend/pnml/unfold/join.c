/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"

#include <assert.h>

enum { ASK_EVERY = 1 << 12 }; /* steps between two checks for interruption */

typedef struct run {
    pnml_unfolding *j;
    uint32_t fact;  /* latest fact taken up */
    uint32_t steps; /* since the last check for interruption */
    uint32_t binding[PNML_MOST_VARIABLES];
} run;

static uint64_t leaf_value(const run *r, const pnml_leaf *l)
{
    uint64_t value = l->variable == OM_NONE ? l->number : r->binding[l->variable] + l->number;
    return value >= l->digit.size ? value - l->digit.size : value;
}

/* Returns the part of an atom's colour that is bound. */
static uint64_t bound_colour(const run *r, const pnml_step *s)
{
    uint64_t colour = 0;
    for (uint32_t i = 0; i < s->atom->leaf_count; i++) {
        const pnml_leaf *l = &s->atom->leaves[i];
        if (l->variable == OM_NONE || (s->bound >> l->variable & 1) != 0)
            colour += leaf_value(r, l) * l->digit.stride;
    }
    return colour;
}

/* Returns true if the colour agrees with the bound variables; binds the others. */
static bool match(run *r, const pnml_step *s, uint64_t colour)
{
    uint64_t bound = s->bound;
    for (uint32_t i = 0; i < s->atom->leaf_count; i++) {
        const pnml_leaf *l = &s->atom->leaves[i];
        uint64_t value = colour / l->digit.stride % l->digit.size;
        if (l->variable == OM_NONE || (bound >> l->variable & 1) != 0) {
            if (leaf_value(r, l) != value)
                return false;
            continue;
        }
        uint64_t own = value >= l->number ? value - l->number : value + l->digit.size - l->number;
        assert(own < l->digit.size); /* U2 */
        r->binding[l->variable] = (uint32_t) own;
        bound |= UINT64_C(1) << l->variable;
    }
    return true;
}

static bool look(const run *r, const pnml_step *s)
{
    uint32_t fact = pnml_facts_find(&r->j->facts, s->atom->place, bound_colour(r, s));
    return fact != OM_NONE && (s->earlier ? fact < r->fact : fact <= r->fact);
}

static bool join(run *r, pnml_step *s, bool first)
{
    const pnml_index *x = &r->j->indices[s->index];
    const pnml_facts *f = &r->j->facts;
    assert(first || s->cursor <= r->fact); /* U3 */
    uint32_t at =
        first ? pnml_index_first(x, f, bound_colour(r, s)) : x->next[f->facts[s->cursor].rank];
    while (at != OM_NONE && ((s->earlier && at == r->fact) || !match(r, s, f->facts[at].colour))) {
        at = x->next[f->facts[at].rank];
        r->steps++;
    }
    s->cursor = at;
    return at != OM_NONE;
}

static bool each(run *r, pnml_step *s, bool first)
{
    s->cursor = first ? 0 : s->cursor + 1;
    r->binding[s->variable] = s->cursor;
    return s->cursor < s->size;
}

static void set(run *r, const pnml_step *s)
{
    uint64_t value = pnml_colour_term_value(s->term, r->binding);
    assert(value < s->size && s->shift < s->size); /* U2 */
    r->binding[s->variable] =
        (uint32_t) (value >= s->shift ? value - s->shift : value + s->size - s->shift);
}

/* Advances to the next way to pass a step; false if there is none. */
static bool advance(run *r, pnml_step *s, bool first)
{
    switch (s->kind) {
    case PNML_MATCH:
        return first && match(r, s, r->j->facts.facts[r->fact].colour);
    case PNML_LOOK:
        return first && look(r, s);
    case PNML_JOIN:
        return join(r, s, first);
    case PNML_TEST:
        return first && pnml_guard_holds(s->term, r->binding);
    case PNML_SET:
        if (first)
            set(r, s);
        return first;
    default:
        return each(r, s, first);
    }
}

int pnml_join_run(
    pnml_unfolding *j, pnml_rule *rule, uint32_t plan, uint32_t fact, pnml_found_fn *found)
{
    run r = { .j = j, .fact = fact };
    const pnml_plan *p = &rule->plans[plan];
    uint32_t at = 0;
    bool first = true;
    for (;;) {
        assert(at <= p->count);
        bool complete = at == p->count;
        int rc = OM_OK;
        if (++r.steps >= ASK_EVERY) {
            r.steps = 0;
            rc = om_context_stopped(j->d->ctx);
        }
        if (rc == OM_OK && complete)
            rc = found(j, rule, r.binding);
        if (rc != OM_OK)
            return rc;
        first = !complete && advance(&r, &p->steps[at], first);
        if (first)
            at++;
        else if (at-- == 0)
            return OM_OK;
    }
}
