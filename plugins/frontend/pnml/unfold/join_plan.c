/* SPDX-License-Identifier: Apache-2.0 */
#include "join.h"

#include <assert.h>
#include <stdlib.h>

enum {
    MOST_CONJUNCTS = 64, /* per rule; a longer guard is tested as one part (see atoms.c) */
    MOST_LEAVES = 256    /* per atom, as in a sort */
};

/* ---- conjuncts of the guard ---- */

typedef struct conjunct {
    const pnml_colour_term *term;
    uint32_t work, position;
    bool used;
} conjunct;

typedef struct planning {
    pnml_unfolding *j;
    pnml_rule *rule;
    uint32_t trigger;
    conjunct *conjuncts;
    size_t conjunct_count;
    uint64_t bound, all;
    uint64_t atoms_used;
    pnml_step *steps;
    uint32_t step_count;
} planning;

static uint32_t work_of(const pnml_colour_term *t)
{
    uint32_t work = 1;
    for (uint32_t i = 0; i < t->count; i++)
        work += work_of(t->args[i]);
    return work;
}

/* Counts the conjuncts, and stores them if out is not NULL. */
static size_t list_conjuncts(const pnml_colour_term *t, conjunct *out, size_t at)
{
    if (t->kind == PNML_AND) {
        for (uint32_t i = 0; i < t->count; i++)
            at = list_conjuncts(t->args[i], out, at);
        return at;
    }
    if (out != NULL)
        out[at] = (conjunct){ t, work_of(t), (uint32_t) at, false };
    return at + 1;
}

static int compare_conjuncts(const void *left, const void *right)
{
    const conjunct *a = left, *b = right;
    if (a->work != b->work)
        return a->work < b->work ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* ---- the order of the steps ---- */

static pnml_step *add_step(planning *p, pnml_step_kind kind)
{
    pnml_step *s = &p->steps[p->step_count++];
    *s = (pnml_step){ .kind = kind, .bound = p->bound };
    return s;
}

static void add_tests(planning *p)
{
    for (size_t i = 0; i < p->conjunct_count; i++) {
        conjunct *c = &p->conjuncts[i];
        if (!c->used && (c->term->variables & ~p->bound) == 0) {
            c->used = true;
            add_step(p, PNML_TEST)->term = c->term;
        }
    }
}

/* Binds a variable that equals a bound term. */
static bool set_by(planning *p, const pnml_colour_term *variable, const pnml_colour_term *value)
{
    if (variable->kind != PNML_VARIABLE || (variable->variables & p->bound) != 0 ||
        (value->variables & ~p->bound) != 0)
        return false;
    assert((value->variables & variable->variables) == 0); /* U1 */
    pnml_step *s = add_step(p, PNML_SET);
    s->variable = (uint32_t) variable->number;
    s->term = value;
    s->shift = variable->shift;
    s->size = variable->sort->size;
    p->bound |= variable->variables;
    return true;
}

static bool add_set(planning *p)
{
    for (size_t i = 0; i < p->conjunct_count; i++) {
        conjunct *c = &p->conjuncts[i];
        if (!c->used && c->term->kind == PNML_EQUAL &&
            (set_by(p, c->term->args[0], c->term->args[1]) ||
                set_by(p, c->term->args[1], c->term->args[0])))
            return c->used = true;
    }
    return false;
}

static uint64_t variable_size(const planning *p, uint32_t variable)
{
    return p->j->sorts.variables[p->rule->scope.variables[variable]].sort->size;
}

/* Returns the number of colours that an atom's unbound variables can have, at most UINT32_MAX. */
static uint64_t fan_out(const planning *p, const pnml_atom *a)
{
    uint64_t n = 1;
    for (uint32_t v = 0; v < p->rule->scope.count && n < UINT32_MAX; v++)
        if (((a->variables & ~p->bound) >> v & 1) != 0)
            n *= variable_size(p, v);
    return n < UINT32_MAX ? n : UINT32_MAX;
}

static bool same_digits(const pnml_index *x, uint32_t place, const pnml_digit *digits, uint32_t n)
{
    if (x->place != place || x->digit_count != n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (x->digits[i].stride != digits[i].stride || x->digits[i].size != digits[i].size)
            return false;
    return true;
}

static int new_index(
    pnml_unfolding *j, uint32_t place, const pnml_digit *digits, uint32_t n, uint32_t *out)
{
    pnml_store *store = &j->stores[place];
    if (!OM_ROOM(j->region.heap, j->indices, &j->index_room, j->index_count + 1))
        return om_fail_memory(j->d->ctx);
    uint32_t *own = om_grow(
        j->region.heap, store->indices, &store->index_room, store->index_count + 1, sizeof *own);
    pnml_digit *copy = om_region_take(&j->region, n, sizeof *copy);
    if (own != NULL)
        store->indices = own;
    if (own == NULL || copy == NULL)
        return om_fail_memory(j->d->ctx);
    for (uint32_t i = 0; i < n; i++)
        copy[i] = digits[i];
    *out = own[store->index_count++] = (uint32_t) j->index_count;
    j->indices[j->index_count++] = (pnml_index){ .place = place, .digit_count = n, .digits = copy };
    return OM_OK;
}

/* Finds or makes the index of a place by the bound components of an atom. */
static int find_index(const planning *p, const pnml_atom *a, uint32_t *out)
{
    pnml_digit digits[MOST_LEAVES];
    uint32_t n = 0;
    const pnml_store *store = &p->j->stores[a->place];
    assert(a->leaf_count <= MOST_LEAVES);
    for (uint32_t i = 0; i < a->leaf_count; i++)
        if (a->leaves[i].variable == OM_NONE || (p->bound >> a->leaves[i].variable & 1) != 0)
            digits[n++] = a->leaves[i].digit;
    for (size_t i = 0; i < store->index_count; i++)
        if (same_digits(&p->j->indices[store->indices[i]], a->place, digits, n)) {
            *out = store->indices[i];
            return OM_OK;
        }
    return new_index(p->j, a->place, digits, n, out);
}

static int add_atom_step(planning *p, uint32_t i, pnml_step_kind kind)
{
    const pnml_atom *a = &p->rule->atoms[i];
    assert(i < p->rule->atom_count && (p->atoms_used >> i & 1) == 0);
    assert(kind != PNML_MATCH || p->step_count == 0);
    pnml_step *s = add_step(p, kind);
    s->atom = a;
    s->earlier = i < p->trigger;
    p->atoms_used |= UINT64_C(1) << i;
    p->bound |= a->variables;
    if (kind != PNML_JOIN)
        return OM_OK;
    p->bound = s->bound; /* the index uses only variables bound before */
    int rc = find_index(p, a, &s->index);
    p->bound |= a->variables;
    return rc;
}

/* Chooses the atom that binds fewest colours. An atom whose variables are all bound is only looked
 * up. */
static int add_join(planning *p, bool *added)
{
    uint32_t best = OM_NONE;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->rule->atom_count; i++) {
        uint64_t n = (p->atoms_used >> i & 1) != 0 ? UINT64_MAX : fan_out(p, &p->rule->atoms[i]);
        if (n < least) {
            least = n;
            best = i;
        }
    }
    *added = best != OM_NONE;
    if (best == OM_NONE)
        return OM_OK;
    bool bound = (p->rule->atoms[best].variables & ~p->bound) == 0;
    return add_atom_step(p, best, bound ? PNML_LOOK : PNML_JOIN);
}

/* Enumerates a variable: one that completes a conjunct, else the one with the fewest colours. */
static void add_each(planning *p)
{
    uint32_t best = OM_NONE, count = p->rule->scope.count;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < p->conjunct_count && best == OM_NONE; i++) {
        uint64_t missing = p->conjuncts[i].term->variables & ~p->bound;
        if (p->conjuncts[i].used || missing == 0 || (missing & (missing - 1)) != 0)
            continue;
        for (best = 0; (missing >> best & 1) == 0;)
            best++;
    }
    for (uint32_t v = 0; v < count && (best == OM_NONE || least != UINT64_MAX); v++)
        if ((p->bound >> v & 1) == 0 && variable_size(p, v) < least) {
            least = variable_size(p, v);
            best = v;
        }
    if (best >= PNML_MOST_VARIABLES)
        return; /* not reached: some variable is unbound */
    pnml_step *s = add_step(p, PNML_EACH);
    s->variable = best;
    s->size = variable_size(p, best);
    p->bound |= UINT64_C(1) << best;
}

static int make_plan(planning *p, pnml_plan *out)
{
    uint32_t room = p->rule->atom_count + p->rule->scope.count + (uint32_t) p->conjunct_count;
    int rc = OM_OK;
    bool added = true;
    p->steps = om_region_take(&p->j->region, room, sizeof *p->steps);
    if (p->steps == NULL)
        return om_fail_memory(p->j->d->ctx);
    if (p->trigger < p->rule->atom_count)
        rc = add_atom_step(p, p->trigger, PNML_MATCH);
    while (rc == OM_OK && (added || p->bound != p->all)) {
        add_tests(p);
        if (add_set(p))
            continue;
        rc = add_join(p, &added);
        if (!added && p->bound != p->all)
            add_each(p);
    }
    add_tests(p);
    assert(rc != OM_OK || p->bound == p->all); /* U1 */
    assert(p->step_count <= room);
    *out = (pnml_plan){ p->steps, p->step_count };
    return rc;
}

static int make_plans(pnml_unfolding *j, pnml_rule *r, conjunct *conjuncts, size_t n)
{
    assert(r->scope.count <= PNML_MOST_VARIABLES && r->atom_count <= 64); /* bits of a set */
    uint32_t plans = r->atom_count == 0 ? 1 : r->atom_count;
    uint64_t all = r->scope.count == 64 ? UINT64_MAX : (UINT64_C(1) << r->scope.count) - 1;
    int rc = OM_OK;
    for (uint32_t i = 0; i < plans && rc == OM_OK; i++) {
        planning p = {
            .j = j, .rule = r, .trigger = i, .conjuncts = conjuncts, .conjunct_count = n, .all = all
        };
        for (size_t k = 0; k < n; k++)
            conjuncts[k].used = false;
        rc = make_plan(&p, &r->plans[i]);
    }
    return rc;
}

static int add_triggers(pnml_unfolding *j, uint32_t rule)
{
    const pnml_rule *r = &j->rules[rule];
    for (uint32_t i = 0; i < r->atom_count; i++) {
        pnml_store *s = &j->stores[r->atoms[i].place];
        if (!OM_ROOM(j->region.heap, s->triggers, &s->trigger_room, s->trigger_count + 1))
            return om_fail_memory(j->d->ctx);
        s->triggers[s->trigger_count++] = (pnml_trigger){ rule, i };
    }
    return OM_OK;
}

int pnml_plan_rule(pnml_unfolding *j, uint32_t rule)
{
    pnml_rule *r = &j->rules[rule];
    int rc = pnml_find_atoms(j, r);
    if (rc != OM_OK)
        return rc;
    r->plans = om_region_take(&j->region, (size_t) r->atom_count + 1, sizeof *r->plans);
    size_t n = r->guard == NULL ? 0 : list_conjuncts(r->guard, NULL, 0);
    conjunct *conjuncts = om_alloc(j->region.heap, n, sizeof *conjuncts);
    if (r->plans == NULL || conjuncts == NULL) {
        om_free(j->region.heap, conjuncts);
        return om_fail_memory(j->d->ctx);
    }
    if (n != 0)
        (void) list_conjuncts(r->guard, conjuncts, 0);
    if (n > MOST_CONJUNCTS) {
        conjuncts[0] = (conjunct){ .term = r->guard };
        n = 1;
    }
    qsort(conjuncts, n, sizeof *conjuncts, compare_conjuncts);
    rc = make_plans(j, r, conjuncts, n);
    om_free(j->region.heap, conjuncts);
    return rc != OM_OK ? rc : add_triggers(j, rule);
}
