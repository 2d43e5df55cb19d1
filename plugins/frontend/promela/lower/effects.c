/* SPDX-License-Identifier: Apache-2.0 */
/* The effects of statements. */
#include "steps.h"

#include <assert.h>

static const om_written NOWHERE = { 0, 0 };

void pml_move_guard(pml_move *v, om_expr e)
{
    v->guard = pml_and(v->l->model, v->guard, e);
}

int pml_move_assign(pml_move *v, om_written at, uint32_t slot, om_expr index, om_expr value)
{
    const om_heap *heap = v->l->file->region.heap;
    if (!OM_ROOM(heap, v->assigns, &v->capacity, v->count + 1))
        return om_fail_memory(v->l->file->ctx);
    if (!OM_ROOM(heap, v->written, &v->written_capacity, v->count + 1))
        return om_fail_memory(v->l->file->ctx);
    v->written[v->count] = at;
    v->assigns[v->count++] = (om_assign){ slot, index, value };
    return OM_OK;
}

void pml_move_free(pml_move *v)
{
    OM_FREE_ALL(v->l->file->region.heap, v->assigns, v->written, v->steps, v->prints);
}

/* Variables of type `unsigned` have fewer bits than their slots. */
static om_expr as_stored(om_model *m, const pml_variable *v, om_expr value)
{
    return v->type == PML_UNSIGNED ? pml_truncated(m, v, value) : value;
}

static int assign_to(pml_move *v, const pml_scope *s, const pml_expr *target, om_expr value)
{
    pml_target t;
    if (target->variable->forgotten)
        return OM_OK;
    int rc = pml_lower_target(s, target, &t);
    if (rc != OM_OK)
        return rc;
    om_written at = { target->at.line, target->at.column };
    return pml_move_assign(v, at, t.place.slot, t.index, as_stored(v->l->model, t.variable, value));
}

/* ---- processes ---- */

static int reset_slot(pml_move *v, uint32_t slot)
{
    om_model *m = v->l->model;
    uint32_t length = om_model_slot(m, slot)->length;
    int rc = OM_OK;
    for (uint32_t k = 0; k < (length == 0 ? 1 : length) && rc == OM_OK; k++)
        rc = pml_move_assign(v, NOWHERE, slot, length == 0 ? 0 : om_expr_const(m, (om_value) k),
            om_expr_const(m, 0));
    return rc;
}

static int empty_channel(pml_move *v, const pml_meant *c)
{
    om_model *m = v->l->model;
    const pml_chan_init *init = v->l->channels[c->channel].init;
    const pml_spot count = pml_count_of(v->l, c);
    int rc = pml_move_assign(v, NOWHERE, count.slot, count.index, om_expr_const(m, 0));
    for (uint32_t f = 0; f < init->field_count; f++)
        for (uint32_t k = 0; k < init->capacity && rc == OM_OK; k++) {
            const pml_spot at = pml_item_of(v->l, c, f, om_expr_const(m, (om_value) k));
            rc = pml_move_assign(v, NOWHERE, at.slot, at.index, om_expr_const(m, 0));
        }
    return rc;
}

/* Adds 1 to a slot, or subtracts it. */
static int add_to(pml_move *v, uint32_t slot, om_op op)
{
    om_model *m = v->l->model;
    return pml_move_assign(
        v, NOWHERE, slot, 0, om_expr_binary(m, op, om_expr_slot(m, slot), om_expr_const(m, 1)));
}

/* Resets all slots of a process that ends, so that equal states have equal vectors. */
int pml_end_process(pml_move *v, const pml_instance *i)
{
    assert(i->channel + i->channel_count <= v->l->channel_count); /* P2 */
    int rc = pml_release(v, i);
    if (rc == OM_OK)
        rc = reset_slot(v, i->location);
    if (rc == OM_OK)
        rc = reset_slot(v, i->pid);
    if (rc == OM_OK && v->l->file->priorities)
        rc = reset_slot(v, i->priority);
    for (const pml_variable *x = i->type->variables; x != NULL; x = x->next)
        for (uint32_t k = 0; k < pml_leaf_count(x) && rc == OM_OK; k++)
            if (!i->places[x->index][k].constant)
                rc = reset_slot(v, i->places[x->index][k].slot);
    for (uint32_t c = i->channel; c < i->channel + i->channel_count && rc == OM_OK; c++) {
        const pml_meant own = { .channel = c };
        if (v->l->channels[c].init->capacity != 0)
            rc = empty_channel(v, &own);
    }
    if (rc == OM_OK)
        rc = add_to(v, v->l->processes, OM_OP_SUB);
    if (rc == OM_OK && i->site != OM_NONE && v->l->pools[i->site].new != NULL)
        rc = add_to(v, v->l->pools[i->site].running, OM_OP_SUB);
    return rc;
}

/* A process that is being started, and the progress of its initialisation. */
typedef struct beginning {
    pml_move *v;
    const pml_instance *self, *new; /* the process that starts it; itself */
    const pml_place *at;            /* place of the next slot */
    const pml_expr *argument;       /* argument for the next parameter */
    uint32_t channel;               /* its next channel; of a pool, that of the first process */
    om_expr distance;               /* from there to its own, or 0 */
} beginning;

/* Returns the index of element k of a variable of this length (0: of a scalar, k is 0). */
static om_expr element_of(om_model *m, const pml_place *place, uint32_t k, uint32_t length)
{
    const om_expr index = length == 0 ? 0 : om_expr_const(m, (om_value) k);
    if (place->at == 0 || length == 0)
        return place->at == 0 ? index : place->at;
    return om_expr_binary(m, OM_OP_ADD,
        om_expr_binary(m, OM_OP_MUL, place->at, om_expr_const(m, (om_value) length)), index);
}

/* Returns the number of the k-th of the channels that the process gets next. */
static om_expr channel_of(const beginning *b, uint32_t k)
{
    om_model *m = b->v->l->model;
    const om_expr first = om_expr_const(m, (om_value) (b->channel + k) + 1);
    return b->distance == 0 ? first : om_expr_binary(m, OM_OP_ADD, b->distance, first);
}

static int start_elements(
    beginning *b, const pml_scope *s, const pml_variable *x, const pml_expr *e, uint32_t length)
{
    om_model *m = b->v->l->model;
    const uint32_t count = length == 0 ? 1 : length;
    const pml_expr *before = NULL;
    om_expr value = 0;
    int rc = OM_OK;
    for (uint32_t k = 0; k < count && rc == OM_OK; k++) {
        const om_expr index = element_of(m, b->at, k, length);
        if (x->channel != NULL)
            value = channel_of(b, k);
        else if (e != before)
            rc = pml_lower_expression(s, e, &value);
        om_written at = e == NULL ? NOWHERE : (om_written){ e->at.line, e->at.column };
        if (rc == OM_OK)
            rc = pml_move_assign(b->v, at, b->at->slot, index, as_stored(m, x, value));
        before = e;
        e = e == NULL ? NULL : pml_next_initial(x, e, k);
    }
    return rc;
}

/* Parameters get the arguments' values; the other variables, and fields, their initial values. */
static int start_variable(beginning *b, const pml_variable *x, uint32_t length)
{
    pml_scope s = { .l = b->v->l, .self = x->is_parameter ? b->self : b->new };
    const pml_expr *e = x->initial;
    int rc = OM_OK;
    if (x->length != 0)
        length = x->length * (length == 0 ? 1 : length);
    if (x->structure != NULL) {
        for (const pml_variable *f = x->structure->fields; f != NULL && rc == OM_OK; f = f->next)
            rc = start_variable(b, f, length);
        return rc;
    }
    if (x->is_parameter) {
        e = b->argument;
        b->argument = e->next;
    }
    if (!b->at->constant && (e != NULL || x->channel != NULL))
        rc = start_elements(b, &s, x, e, length);
    if (x->channel != NULL)
        b->channel += length == 0 ? 1 : length;
    b->at++;
    return rc;
}

static int start_process(pml_move *v, const pml_instance *self, const pml_expr *run, uint32_t k)
{
    om_model *m = v->l->model;
    const pml_pool *pool = &v->l->pools[run->site];
    const pml_instance *new = pool->new != NULL ? pool->new : &v->l->instances[pool->first + k];
    beginning b = { .v = v,
        .self = self,
        .new = new,
        .channel = new->channel,
        .distance = pml_channel_distance(v->l, pool),
        .argument = run->args };
    if (run->arg_count != new->type->parameter_count)
        return PML_FAIL(v->l->file, run->at, "\"%s\" has %u parameter%s, not %u", new->type->name,
            (unsigned) new->type->parameter_count, new->type->parameter_count == 1 ? "" : "s",
            (unsigned) run->arg_count);
    om_expr count = om_expr_slot(m, v->l->processes);
    /* Redundant for a process that is started at most once; stated for analyses of the locations
     * of a process. */
    if (new->at == 0)
        pml_move_guard(
            v, om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, new->location), om_expr_const(m, 0)));
    int rc = pml_move_assign(v, NOWHERE, new->pid, new->at, count);
    if (rc == OM_OK && v->l->file->priorities)
        rc = pml_move_assign(
            v, NOWHERE, new->priority, new->at, om_expr_const(m, run->value == 0 ? 1 : run->value));
    for (const pml_variable *x = new->type->variables; x != NULL &&rc == OM_OK; x = x->next) {
        b.at = new->places[x->index];
        rc = start_variable(&b, x, 0);
    }
    if (rc == OM_OK)
        rc = pml_claim(v, new);
    assert(rc != OM_OK || b.argument == NULL);
    assert(rc != OM_OK || b.channel == new->channel + new->channel_count);
    if (rc == OM_OK)
        rc = pml_move_assign(v, NOWHERE, new->location, new->at,
            om_expr_const(m, (om_value) new->type->graph->start->location));
    if (rc == OM_OK)
        rc = add_to(v, v->l->processes, OM_OP_ADD);
    if (rc == OM_OK && new->at != 0) /* last: it is the place of the process */
        rc = add_to(v, pool->running, OM_OP_ADD);
    return rc;
}

/* ---- messages ---- */

static const pml_chan_init *init_of(const pml_move *v, const pml_way *way)
{
    return v->l->channels[way->on.channel].init;
}

static pml_spot spot(const pml_move *v, const pml_way *way, uint32_t field, uint32_t position)
{
    return pml_item_of(v->l, &way->on, field, om_expr_const(v->l->model, (om_value) position));
}

static int assign_spot(pml_move *v, pml_spot to, om_expr value)
{
    return pml_move_assign(v, NOWHERE, to.slot, to.index, value);
}

static int add_to_count(pml_move *v, const pml_way *way, om_op op)
{
    om_model *m = v->l->model;
    const pml_spot count = pml_count_of(v->l, &way->on);
    return assign_spot(v, count, om_expr_binary(m, op, pml_read(m, count), om_expr_const(m, 1)));
}

/* Moves the messages from the way's position on one place towards the end. */
static int make_room(pml_move *v, const pml_way *way)
{
    const pml_chan_init *init = init_of(v, way);
    assert(way->position < init->capacity);
    int rc = OM_OK;
    for (uint32_t f = 0; f < init->field_count; f++)
        for (uint32_t k = init->capacity; k-- > way->position + 1 && rc == OM_OK;)
            rc = assign_spot(v, spot(v, way, f, k), pml_read(v->l->model, spot(v, way, f, k - 1)));
    return rc;
}

static int lower_send(pml_move *v, const pml_scope *s, const pml_statement *t, const pml_way *way)
{
    om_model *m = v->l->model;
    assert(t->arg_count == init_of(v, way)->field_count); /* P3 */
    const pml_variable *field = init_of(v, way)->fields;
    const pml_expr *e = t->args;
    om_expr at = way->position == OM_NONE ? pml_read(m, pml_count_of(v->l, &way->on))
                                          : om_expr_const(m, (om_value) way->position);
    int rc = way->position == OM_NONE ? OM_OK : make_room(v, way);
    for (uint32_t i = 0; i < t->arg_count && rc == OM_OK; i++, e = e->next, field = field->next) {
        om_expr value = 0;
        rc = pml_lower_expression(s, e, &value);
        if (rc == OM_OK)
            rc = assign_spot(v, pml_item_of(v->l, &way->on, i, at), as_stored(m, field, value));
    }
    return rc == OM_OK ? add_to_count(v, way, OM_OP_ADD) : rc;
}

/* Takes out a message; the last place becomes 0, so that equal contents have equal vectors. */
static int take_out(pml_move *v, const pml_way *way)
{
    assert(way->position < init_of(v, way)->capacity);
    int rc = OM_OK;
    for (uint32_t f = 0; f < init_of(v, way)->field_count && rc == OM_OK; f++)
        rc = assign_spot(v, spot(v, way, f, way->position), 0);
    return rc == OM_OK ? add_to_count(v, way, OM_OP_SUB) : rc;
}

static int receive(pml_move *v, const pml_scope *s, const pml_statement *t, const pml_way *way)
{
    assert(t->arg_count <= init_of(v, way)->field_count); /* P3 */
    const pml_expr *e = t->args;
    int rc = OM_OK;
    for (uint32_t i = 0; i < t->arg_count && rc == OM_OK; i++, e = e->next)
        if (e->kind == PML_VARIABLE)
            rc = assign_to(v, s, e, pml_read(v->l->model, spot(v, way, i, way->position)));
    return rc == OM_OK && !t->keep ? take_out(v, way) : rc;
}

/* A field of a message that is handed over in a rendezvous. */
typedef struct handed {
    const pml_expr *to;
    pml_target target;
    om_expr value;
    bool done;
} handed;

static bool reads(const om_model *m, om_expr e, const handed *h)
{
    return e != 0 && om_expr_reads(m, e, h->target.place.slot);
}

/* Returns true if field k may be stored before the remaining ones. Values are those of before the
 * step; indices are computed after the earlier fields have been stored. */
static bool may_be_next(const om_model *m, const handed *all, uint32_t count, uint32_t k)
{
    const handed *a = &all[k];
    for (uint32_t i = 0; i < count; i++) {
        const handed *b = &all[i];
        if (b->done || i == k)
            continue;
        if (om_expr_reads(m, b->value, a->target.place.slot))
            return false;
        if (i < k && (reads(m, a->target.index, b) || reads(m, b->target.index, a) ||
                         a->target.place.slot == b->target.place.slot))
            return false;
    }
    return true;
}

static int hand_all(pml_move *v, handed *all, uint32_t count, const om_place *at)
{
    om_model *m = v->l->model;
    for (uint32_t left = count; left > 0; left--) {
        uint32_t k = 0;
        while (k < count && (all[k].done || !may_be_next(m, all, count, k)))
            k++;
        if (k == count)
            return PML_REFUSE(v->l->file, *at,
                "a message whose reception changes the values that are sent is not supported");
        all[k].done = true;
        om_written written = { all[k].to->at.line, all[k].to->at.column };
        int rc = pml_move_assign(v, written, all[k].target.place.slot, all[k].target.index,
            as_stored(m, all[k].target.variable, all[k].value));
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

static int hand_over(pml_move *v, const pml_scope *s, const pml_statement *t, const pml_way *way)
{
    om_model *m = v->l->model;
    pml_scope other = { .l = v->l, .self = way->partner };
    const pml_chan_init *init = init_of(v, way);
    assert(t->arg_count == init->field_count);            /* P3 */
    assert(way->with->s->arg_count == init->field_count); /* P3 */
    const pml_variable *f = init->fields;
    const pml_expr *to = way->with->s->args;
    const om_heap *heap = v->l->file->region.heap;
    handed *all = om_alloc(heap, init->field_count + 1, sizeof *all);
    uint32_t count = 0;
    int rc = all == NULL ? om_fail_memory(v->l->file->ctx) : OM_OK;
    for (const pml_expr *e = t->args; e != NULL && rc == OM_OK; e = e->next, to = to->next) {
        if (to->kind == PML_VARIABLE && !to->variable->forgotten) {
            handed *h = &all[count++];
            h->to = to;
            rc = pml_lower_expression(s, e, &h->value);
            if (rc == OM_OK)
                rc = pml_lower_target(&other, to, &h->target);
            if (rc == OM_OK)
                h->value = pml_truncated(m, f, h->value);
        }
        f = f->next;
    }
    if (rc == OM_OK)
        rc = hand_all(v, all, count, &t->at);
    om_free(heap, all);
    return rc;
}

/* Starts the process of the statement, if it has a `run` and this way executes it. */
static int run_in(pml_move *v, const pml_instance *i, const pml_statement *t, const pml_way *way)
{
    const pml_expr *run = pml_run_in(t);
    return run == NULL || way->position == OM_NONE ? OM_OK
                                                   : start_process(v, i, run, way->position);
}

/* Returns the value of the statement's `run`: the number of the new process; 0 if there is no
 * `run`. */
static om_expr number_got(const pml_lowering *l, const pml_statement *t)
{
    om_model *m = l->model;
    return pml_run_in(t) == NULL
               ? 0
               : om_expr_binary(m, OM_OP_SUB, om_expr_slot(m, l->processes), om_expr_const(m, 1));
}

static int print(pml_move *v, const pml_instance *i, const pml_statement *t, const pml_way *way)
{
    const int rc = run_in(v, i, t, way);
    const pml_scope s = { .l = v->l, .self = i, .run = number_got(v->l, t) };
    return rc == OM_OK ? pml_move_print(v, &s, t) : rc;
}

static int assign(pml_move *v, const pml_instance *i, const pml_statement *t, const pml_way *way)
{
    int rc = run_in(v, i, t, way);
    const pml_scope s = { .l = v->l, .self = i, .run = number_got(v->l, t) };
    om_expr value = 0;
    if (t->target->variable->forgotten) /* the value may read the variable, as in "h++" */
        return rc;
    if (rc == OM_OK)
        rc = pml_lower_expression(&s, t->a, &value);
    return rc == OM_OK ? assign_to(v, &s, t->target, value) : rc;
}

/* Sets the priority of the process with that number, if there is one. No other priority changes,
 * so the assignments can run one after the other without changing what `value` reads. */
static int set_priority(pml_move *v, const pml_scope *s, const pml_statement *t)
{
    om_model *m = v->l->model;
    om_expr number = 0, value = 0, zero = om_expr_const(m, 0);
    int rc = pml_lower_expression(s, t->args, &value);
    if (rc == OM_OK && t->a == NULL)
        return pml_move_assign(v, NOWHERE, s->self->priority, 0, value);
    if (rc == OM_OK)
        rc = pml_lower_expression(s, t->a, &number);
    for (uint32_t k = 0; k < v->l->instance_count && rc == OM_OK; k++) {
        const pml_instance *i = &v->l->instances[k];
        om_expr own = om_expr_slot(m, i->priority);
        om_expr his = pml_and(m, om_expr_binary(m, OM_OP_NE, om_expr_slot(m, i->location), zero),
            om_expr_binary(m, OM_OP_EQ, om_expr_slot(m, i->pid), number));
        om_expr change =
            om_expr_binary(m, OM_OP_MUL, his, om_expr_binary(m, OM_OP_SUB, value, own));
        rc = pml_move_assign(v, NOWHERE, i->priority, 0, om_expr_binary(m, OM_OP_ADD, own, change));
    }
    return rc;
}

int pml_effect(pml_move *v, const pml_instance *i, const pml_node *leaf, const pml_way *way)
{
    pml_scope s = { .l = v->l, .self = i };
    const pml_statement *t = leaf->s;
    if (leaf->kind != PML_N_LEAF || t == NULL)
        return OM_OK;
    switch (t->kind) {
    case PML_S_ASSIGN:
        return assign(v, i, t, way);
    case PML_S_EXPR:
    case PML_S_ASSERT:
        return run_in(v, i, t, way);
    case PML_S_PRINT:
        return print(v, i, t, way);
    case PML_S_SEND:
        return way->lost              ? OM_OK
               : way->partner != NULL ? hand_over(v, &s, t, way)
                                      : lower_send(v, &s, t, way);
    case PML_S_PRIORITY:
        return set_priority(v, &s, t);
    case PML_S_RECEIVE:
        return receive(v, &s, t, way);
    default:
        return OM_OK;
    }
}
