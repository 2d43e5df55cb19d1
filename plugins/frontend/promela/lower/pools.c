/* SPDX-License-Identifier: Apache-2.0 */
/* Large pools: the slots of their instances are joined, so that a `run` can compute the instance
 * that it starts. */
#include "lower.h"

#include <assert.h>
#include <stdio.h>

/* Instances of a pool whose slots are not joined: what is known of each one alone (where its
 * variables are dead, which of its steps concern only itself) is worth more than a short model. */
enum { MOST_APART = 8 };

bool pml_is_large(const pml_pool *p)
{
    return p->count > MOST_APART && (!p->enough || p->count > PML_SPIN_PROCESSES);
}

/* Returns the first site of the pool of this one: several sites of a proctype may share a pool. */
static uint32_t first_site(const pml_lowering *l, uint32_t site)
{
    uint32_t first = 0;
    while (l->pools[first].count == 0 || l->pools[first].first != l->pools[site].first)
        first++;
    assert(first <= site);
    return first;
}

int pml_count_running(pml_lowering *l)
{
    const om_value zero = 0;
    om_slot slot = { .type = pml_number_type(l),
        .process = OM_NONE,
        .initial = &zero,
        .place = { l->file->file, 1, 1 } };
    int rc = OM_OK;
    for (uint32_t i = 0; i < l->file->sites && rc == OM_OK; i++) {
        pml_pool *p = &l->pools[i];
        if (!pml_is_large(p))
            continue;
        const uint32_t first = first_site(l, i);
        if (first != i) {
            p->running = l->pools[first].running;
            continue;
        }
        om_text name = { .heap = l->file->region.heap };
        om_text_printf(&name, "_running%u", (unsigned) i + 1);
        slot.name = name.text;
        slot.place = p->run->at;
        rc = name.failed ? om_fail_memory(l->file->ctx)
                         : om_model_add_slot(l->model, &slot, &p->running);
        om_text_free(&name);
    }
    return rc;
}

/* The instances of a pool, and the one that stands for the next that is started. */
typedef struct joining {
    pml_lowering *l;
    const pml_pool *pool;
    pml_instance *new;
    uint32_t *members; /* by instance: a slot */
} joining;

/* Joins members[] and sets *out to the family. */
static int join(joining *j, uint32_t *out)
{
    pml_lowering *l = j->l;
    om_text name = { .heap = l->file->region.heap };
    om_text_printf(&name, "_pool%u.%s", (unsigned) j->pool->first + 1,
        om_model_slot(l->model, j->members[0])->name);
    const int rc = name.failed
                       ? om_fail_memory(l->file->ctx)
                       : om_model_join_slots(l->model, name.text, j->members, j->pool->count, out);
    om_text_free(&name);
    return rc;
}

static int join_own(joining *j)
{
    const pml_instance *first = &j->l->instances[j->pool->first];
    for (uint32_t k = 0; k < j->pool->count; k++)
        j->members[k] = first[k].location;
    int rc = join(j, &j->new->location);
    for (uint32_t k = 0; k < j->pool->count; k++)
        j->members[k] = first[k].pid;
    if (rc == OM_OK)
        rc = join(j, &j->new->pid);
    for (uint32_t k = 0; k < j->pool->count; k++)
        j->members[k] = first[k].priority;
    return rc == OM_OK && j->l->file->priorities ? join(j, &j->new->priority) : rc;
}

/* Sets the place of field `field` of a variable in the new process. */
static int join_field(joining *j, const pml_variable *v, uint32_t field)
{
    om_model *m = j->l->model;
    const pml_instance *first = &j->l->instances[j->pool->first];
    pml_place *to = &j->new->places[v->index][field];
    *to = first->places[v->index][field];
    if (to->constant) {
        /* Its own channel has its own number; a channel that was passed is the same for all. */
        if (first[1].places[v->index][field].value != to->value)
            to->at = om_expr_binary(
                m, OM_OP_ADD, pml_channel_distance(j->l, j->pool), om_expr_const(m, to->value));
        return om_model_expr_check(m, &v->at);
    }
    to->at = j->new->at;
    for (uint32_t k = 0; k < j->pool->count; k++)
        j->members[k] = first[k].places[v->index][field].slot;
    return join(j, &to->slot);
}

static int join_variables(joining *j)
{
    om_region *a = &j->l->file->region;
    const pml_proctype *t = j->new->type;
    int rc = OM_OK;
    j->new->places = om_region_take(a, (size_t) t->variable_count + 1, sizeof(pml_place *));
    if (j->new->places == NULL)
        return om_fail_memory(j->l->file->ctx);
    for (const pml_variable *v = t->variables; v != NULL && rc == OM_OK; v = v->next) {
        const uint32_t fields = pml_leaf_count(v);
        pml_place *places = j->new->places[v->index] = om_region_take(a, fields, sizeof *places);
        if (places == NULL)
            return om_fail_memory(j->l->file->ctx);
        for (uint32_t k = 0; k < fields && !v->forgotten && rc == OM_OK; k++)
            rc = join_field(j, v, k);
    }
    return rc;
}

static int join_pool(pml_lowering *l, pml_pool *p)
{
    om_region *a = &l->file->region;
    joining j = { .l = l, .pool = p, .new = om_region_take(a, 1, sizeof *j.new) };
    if (j.new == NULL || !OM_NEW(a->heap, j.members, p->count))
        return om_fail_memory(l->file->ctx);
    *j.new = l->instances[p->first];
    p->new = j.new;
    j.new->at = om_expr_slot(l->model, p->running);
    int rc = om_model_expr_check(l->model, &p->run->at);
    if (rc == OM_OK)
        rc = join_own(&j);
    if (rc == OM_OK)
        rc = join_variables(&j);
    om_free(a->heap, j.members);
    return rc;
}

int pml_join_pools(pml_lowering *l)
{
    int rc = OM_OK;
    for (uint32_t i = 0; i < l->file->sites && rc == OM_OK; i++) {
        pml_pool *p = &l->pools[i];
        if (!pml_is_large(p))
            continue;
        const uint32_t first = first_site(l, i);
        if (first == i)
            rc = join_pool(l, p);
        else
            p->new = l->pools[first].new;
    }
    return rc;
}

om_expr pml_channel_distance(const pml_lowering *l, const pml_pool *p)
{
    om_model *m = l->model;
    const uint32_t each = l->instances[p->first].channel_count;
    if (p->new == NULL || each == 0)
        return 0;
    return om_expr_binary(m, OM_OP_MUL, p->new->at, om_expr_const(m, (om_value) each));
}
