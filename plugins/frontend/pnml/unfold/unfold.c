/* SPDX-License-Identifier: Apache-2.0 */
#include "unfold.h"
#include "join.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_PLACES = 1 << 24,   /* a larger net could not be explored with any memory */
    MOST_BINDINGS = 1 << 24, /* of all transitions */
    WAITING_HEAD = 2         /* of an entry in pnml_unfolding.waiting: rule, next */
};

/* ---- contents of the file ---- */

static int number_nodes(pnml_unfolding *j)
{
    const pnml_document *d = j->d;
    j->number = om_region_take(&j->region, d->ids.count, sizeof *j->number);
    if (j->number == NULL)
        return om_fail_memory(d->ctx);
    for (size_t i = 0; i < d->ids.count; i++) {
        if (d->nodes[i].kind == PNML_PLACE)
            j->number[i] = j->store_count++;
        else if (d->nodes[i].kind == PNML_TRANSITION)
            j->number[i] = j->rule_count++;
    }
    j->stores = om_region_take(&j->region, j->store_count, sizeof *j->stores);
    j->rules = om_region_take(&j->region, j->rule_count, sizeof *j->rules);
    return j->stores == NULL || j->rules == NULL ? om_fail_memory(d->ctx) : OM_OK;
}

static int read_sorts(pnml_unfolding *j)
{
    const pnml_document *d = j->d;
    int rc = pnml_sorts_read(&j->sorts);
    for (size_t i = 0; i < d->ids.count && rc == OM_OK; i++) {
        const pnml_node *n = &d->nodes[i];
        if (n->kind == PNML_PLACE && n->sort == NULL)
            rc = PNML_FAIL(d, n->pos, "place '%.100s' has no type", n->id);
        else if (n->kind == PNML_PLACE)
            rc = pnml_sort_of(&j->sorts, n->sort, &j->stores[j->number[i]].sort);
    }
    return rc;
}

/* Allocates the arcs of each transition. */
static int make_flows(pnml_unfolding *j)
{
    const pnml_document *d = j->d;
    for (size_t i = 0; i < d->arc_count; i++) {
        const pnml_arc *a = &d->arcs[i];
        assert(pnml_arc_is_resolved(d, a)); /* R1 */
        if (d->nodes[a->source].kind == PNML_PLACE)
            j->rules[j->number[a->target]].take_count++;
        else
            j->rules[j->number[a->source]].give_count++;
    }
    for (uint32_t i = 0; i < j->rule_count; i++) {
        pnml_rule *r = &j->rules[i];
        r->takes = om_region_take(&j->region, r->take_count, sizeof *r->takes);
        r->gives = om_region_take(&j->region, r->give_count, sizeof *r->gives);
        if (r->takes == NULL || r->gives == NULL)
            return om_fail_memory(d->ctx);
        r->take_count = r->give_count = 0;
    }
    return OM_OK;
}

/* The term of an arc without an inscription: one token, if there is one colour. */
static int default_term(
    pnml_unfolding *j, const pnml_arc *a, const pnml_sort *sort, const pnml_colour_term **out)
{
    const pnml_element at = { .line = a->pos.line, .column = a->pos.column };
    if (sort->kind != PNML_DOT)
        return PNML_FAIL(
            j->d, a->pos, "an arc without an inscription at a place of sort '%.100s'", sort->name);
    pnml_colour_term *t = pnml_colour_term_new(&j->sorts, PNML_CONSTANT, &at, 0);
    if (t == NULL)
        return om_fail_memory(j->d->ctx);
    t->sort = sort;
    *out = t;
    return OM_OK;
}

static int read_arc(pnml_unfolding *j, const pnml_arc *a)
{
    bool takes = j->d->nodes[a->source].kind == PNML_PLACE;
    uint32_t place = j->number[takes ? a->source : a->target];
    pnml_rule *r = &j->rules[j->number[takes ? a->target : a->source]];
    pnml_flow *f = takes ? &r->takes[r->take_count++] : &r->gives[r->give_count++];
    f->place = place;
    f->pos = a->pos;
    if (a->inscription == NULL)
        return default_term(j, a, j->stores[place].sort, &f->term);
    return pnml_colour_term_read(
        &j->sorts, &r->scope, a->inscription, j->stores[place].sort, &f->term);
}

static int read_rules(pnml_unfolding *j)
{
    const pnml_document *d = j->d;
    int rc = make_flows(j);
    for (size_t i = 0; i < d->arc_count && rc == OM_OK; i++)
        rc = read_arc(j, &d->arcs[i]);
    for (size_t i = 0; i < d->ids.count && rc == OM_OK; i++) {
        if (d->nodes[i].kind != PNML_TRANSITION)
            continue;
        pnml_rule *r = &j->rules[j->number[i]];
        r->pos = d->nodes[i].pos;
        if (d->nodes[i].guard != NULL)
            rc = pnml_guard_read(&j->sorts, &r->scope, d->nodes[i].guard, &r->guard);
        if (rc == OM_OK)
            rc = pnml_plan_rule(j, j->number[i]);
    }
    return rc;
}

/* ---- facts ---- */

static int add_facts(pnml_unfolding *j, bool initial, om_written pos)
{
    for (size_t i = 0; i < j->bag.count; i++) {
        const pnml_item *item = &j->bag.items[i];
        size_t had = j->facts.count;
        assert(item->colour < j->stores[item->place].sort->size); /* K1 */
        if (had >= MOST_PLACES)
            return PNML_FAIL(j->d, pos, "unfolded, the net has more than %d places", MOST_PLACES);
        uint32_t n = pnml_facts_add(&j->facts, item->place, item->colour);
        if (n == OM_NONE)
            return om_fail_memory(j->d->ctx);
        assert(n < j->facts.count && (!initial || j->facts.facts[n].initial == 0)); /* settled */
        if (j->facts.count > had)
            j->facts.facts[n].rank = j->stores[item->place].facts++;
        if (initial)
            j->facts.facts[n].initial = item->count;
    }
    j->bag.count = 0;
    return OM_OK;
}

static int mark_initially(pnml_unfolding *j)
{
    pnml_scope none = { .closed = true };
    int rc = OM_OK;
    for (size_t i = 0; i < j->d->ids.count && rc == OM_OK; i++) {
        const pnml_node *n = &j->d->nodes[i];
        const pnml_colour_term *t = NULL;
        if (n->kind != PNML_PLACE || n->initial == NULL)
            continue;
        uint32_t place = j->number[i];
        j->bag.scope = &none;
        rc = pnml_colour_term_read(&j->sorts, &none, n->initial, j->stores[place].sort, &t);
        if (rc == OM_OK)
            rc = pnml_bag_add(&j->bag, t, NULL, place);
        if (rc == OM_OK)
            rc = pnml_bag_settle(&j->bag, n->pos);
        if (rc == OM_OK)
            rc = add_facts(j, true, n->pos);
    }
    return rc;
}

/* ---- bindings ---- */

static int fill_bag(pnml_unfolding *j, const pnml_rule *r, const uint32_t *binding, bool takes)
{
    const pnml_flow *flows = takes ? r->takes : r->gives;
    uint32_t n = takes ? r->take_count : r->give_count;
    int rc = OM_OK;
    j->bag.count = 0;
    j->bag.scope = &r->scope;
    for (uint32_t i = 0; i < n && rc == OM_OK; i++)
        rc = pnml_bag_add(&j->bag, flows[i].term, binding, flows[i].place);
    return rc;
}

/* Stores a binding whose tokens can all be present, and adds the facts that it gives. */
static int keep(pnml_unfolding *j, pnml_rule *r, const uint32_t *binding)
{
    uint32_t n = r->scope.count;
    if (!OM_ROOM(j->region.heap, r->bindings, &r->binding_room, (r->binding_count + 1) * n))
        return om_fail_memory(j->d->ctx);
    memcpy(r->bindings + r->binding_count++ * n, binding, n * sizeof *r->bindings);
    if (++j->bindings > MOST_BINDINGS)
        return PNML_FAIL(
            j->d, r->pos, "unfolded, the net has more than %d transitions", MOST_BINDINGS);
    int rc = fill_bag(j, r, binding, false);
    return rc == OM_OK ? add_facts(j, false, r->pos) : rc;
}

/* Returns the first of the bag's tokens that is not yet known to be possible, or NULL. */
static const pnml_item *missing_item(const pnml_unfolding *j)
{
    for (size_t i = 0; i < j->bag.count; i++)
        if (pnml_facts_find(&j->facts, j->bag.items[i].place, j->bag.items[i].colour) == OM_NONE)
            return &j->bag.items[i];
    return NULL;
}

/* Makes the entry `at` wait for that token. */
static int wait_for(pnml_unfolding *j, const pnml_item *item, size_t at)
{
    assert(at + WAITING_HEAD <= j->waiting_count && j->waiting[at] < j->rule_count);
    uint32_t w = pnml_facts_add(&j->wanted, item->place, item->colour);
    if (w == OM_NONE)
        return om_fail_memory(j->d->ctx);
    j->waiting[at + 1] = j->wanted.facts[w].extra;
    j->wanted.facts[w].extra = (uint32_t) at;
    return OM_OK;
}

static int wait_anew(
    pnml_unfolding *j, const pnml_rule *r, const uint32_t *binding, const pnml_item *item)
{
    size_t at = j->waiting_count, size = WAITING_HEAD + r->scope.count;
    if (at + size >= OM_NONE)
        return PNML_FAIL(j->d, r->pos, "too many bindings of a transition wait for tokens");
    if (!OM_ROOM(j->region.heap, j->waiting, &j->waiting_room, at + size))
        return om_fail_memory(j->d->ctx);
    j->waiting_count += size;
    j->waiting[at] = (uint32_t) (r - j->rules);
    memcpy(j->waiting + at + WAITING_HEAD, binding, r->scope.count * sizeof *j->waiting);
    return wait_for(j, item, at);
}

/* Called for a binding that satisfies guard and atoms. Its other tokens are checked now, and again
 * whenever the first missing token becomes possible. */
static int found(pnml_unfolding *j, pnml_rule *r, const uint32_t *binding)
{
    if (r->exact)
        return keep(j, r, binding);
    int rc = fill_bag(j, r, binding, true);
    const pnml_item *missing = rc == OM_OK ? missing_item(j) : NULL;
    if (missing != NULL)
        return wait_anew(j, r, binding, missing);
    return rc == OM_OK ? keep(j, r, binding) : rc;
}

/* Checks the bindings that wait for this fact. */
static int wake(pnml_unfolding *j, uint32_t fact)
{
    const pnml_fact f = j->facts.facts[fact];
    uint32_t w = pnml_facts_find(&j->wanted, f.place, f.colour);
    uint32_t at = w == OM_NONE ? OM_NONE : j->wanted.facts[w].extra, next;
    int rc = OM_OK;
    for (; at != OM_NONE && rc == OM_OK; at = next) {
        pnml_rule *r = &j->rules[j->waiting[at]];
        assert(at + WAITING_HEAD + r->scope.count <= j->waiting_count);
        uint32_t binding[PNML_MOST_VARIABLES];
        next = j->waiting[at + 1];
        memcpy(binding, j->waiting + at + WAITING_HEAD, r->scope.count * sizeof *binding);
        rc = fill_bag(j, r, binding, true);
        const pnml_item *missing = rc == OM_OK ? missing_item(j) : NULL;
        /* U3: it does not wait for the same fact again */
        assert(missing == NULL || missing->place != f.place || missing->colour != f.colour);
        if (missing != NULL)
            rc = wait_for(j, missing, at);
        else if (rc == OM_OK)
            rc = keep(j, r, binding);
        if (rc == OM_OK)
            rc = om_context_stopped(j->d->ctx);
    }
    return rc;
}

/* Adds the consequences of a fact together with the facts before it. */
static int take_up(pnml_unfolding *j, uint32_t fact)
{
    const pnml_store *s = &j->stores[j->facts.facts[fact].place];
    for (size_t i = 0; i < s->index_count; i++)
        if (!pnml_index_add(&j->indices[s->indices[i]], &j->facts, fact))
            return om_fail_memory(j->d->ctx);
    int rc = wake(j, fact);
    for (size_t i = 0; i < s->trigger_count && rc == OM_OK; i++)
        rc = pnml_join_run(j, &j->rules[s->triggers[i].rule], s->triggers[i].atom, fact, found);
    return rc;
}

static int find_bindings(pnml_unfolding *j)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < j->rule_count && rc == OM_OK; i++)
        if (j->rules[i].atom_count == 0)
            rc = pnml_join_run(j, &j->rules[i], 0, OM_NONE, found);
    for (uint32_t i = 0; i < j->facts.count && rc == OM_OK; i++) {
        rc = take_up(j, i);
        if (rc == OM_OK && i % 1024 == 0)
            rc = om_context_stopped(j->d->ctx);
    }
    return rc;
}

/* ---- release ---- */

static void free_join(pnml_unfolding *j)
{
    const om_heap *heap = j->region.heap;
    for (uint32_t i = 0; j->stores != NULL && i < j->store_count; i++) {
        OM_FREE_ALL(heap, j->stores[i].triggers, j->stores[i].indices);
    }
    for (uint32_t i = 0; j->rules != NULL && i < j->rule_count; i++) {
        OM_FREE_ALL(heap, j->rules[i].bindings, j->rules[i].order);
    }
    for (size_t i = 0; i < j->index_count; i++)
        pnml_index_free(&j->indices[i], heap);
    OM_FREE_ALL(heap, j->indices, j->waiting);
    pnml_facts_free(&j->facts);
    pnml_facts_free(&j->wanted);
    pnml_bag_free(&j->bag);
    pnml_sorts_free(&j->sorts);
    om_region_free(&j->region);
}

/* Frees the memory needed only to find bindings, before the net is made. */
static void free_indices(pnml_unfolding *j)
{
    for (size_t i = 0; i < j->index_count; i++)
        pnml_index_free(&j->indices[i], j->region.heap);
    om_free(j->region.heap, j->waiting);
    j->index_count = 0;
    j->waiting = NULL;
    pnml_facts_free(&j->wanted);
}

int pnml_unfold(om_net *net, const pnml_document *d)
{
    const om_heap *heap = d->region.heap;
    pnml_unfolding j = { .d = d, .region.heap = heap, .facts.heap = heap, .wanted.heap = heap };
    j.sorts = (pnml_sorts){ .d = d,
        .region.heap = heap,
        .sort_ids.heap = heap,
        .constant_ids.heap = heap,
        .variable_ids.heap = heap };
    j.bag = (pnml_bag){ .sorts = &j.sorts, .heap = heap };
    int rc = number_nodes(&j);
    if (rc == OM_OK)
        rc = read_sorts(&j);
    if (rc == OM_OK)
        rc = read_rules(&j);
    if (rc == OM_OK)
        rc = mark_initially(&j);
    if (rc == OM_OK)
        rc = find_bindings(&j);
    if (rc == OM_OK) {
        free_indices(&j);
        pnml_facts_sort(&j.facts);
        rc = pnml_unfold_emit(&j, net);
    }
    free_join(&j);
    return rc;
}
