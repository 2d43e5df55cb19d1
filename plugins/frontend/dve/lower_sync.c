/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>

/*
 * `system sync`: every process moves in each step, all from the same state. Each choice of one
 * transition per process becomes one transition. Its assignments run one after the other. If a
 * process reads a value that an earlier one has overwritten, the old value is first saved in a
 * shadow slot; shadows are 0 in every state.
 */

/* The transition of one process, lowered on its own. */
typedef struct half {
    const dve_transition *t;
    om_expr at, guard;
    om_assign *assigns;
    om_written *written;
    size_t count;
} half;

/* A process, its transitions, and the transition chosen for the joint one. */
typedef struct member {
    const dve_process *p;
    half *halves;
    uint32_t chosen;
} member;

typedef struct sync {
    dve_lowering *l;
    uint32_t processes;
    member *members;
    uint32_t slots;       /* number of slots, without shadows */
    uint32_t *shadow;     /* per slot: its shadow, or OM_NONE */
    uint32_t *view;       /* per slot: the array as the current process sees it, or OM_NONE */
    uint32_t *viewer;     /* per slot: the process that uses the view in this step, or OM_NONE */
    uint32_t *writer;     /* per slot: the last process that writes in this step, or OM_NONE */
    bool *saved, *warned; /* per slot */
    uint32_t *written;    /* slots with a writer */
    uint32_t written_count;
} sync;

static int prepare_half(sync *y, const dve_process *p, const dve_transition *t, half *out)
{
    dve_lowering *l = y->l;
    dve_file *f = l->file;
    dve_move v = { .scope = { .file = f, .model = l->model, .process = p, .origin = f->file } };
    if (t->sync != DVE_NO_SYNC) {
        om_place place = dve_place(f, t->channel_pos);
        return om_fail(f->ctx, OM_EUNSUPPORTED, &place,
            "channel \"%s\" cannot be used in a synchronous system", t->channel_name);
    }
    *out = (half){ .t = t, .at = dve_at(l->model, p, t->from.state) };
    int rc = t->guard == NULL ? OM_OK : dve_lower_expression(&v.scope, t->guard, &out->guard);
    if (rc == OM_OK)
        rc = dve_move_apply(&v, p, t);
    if (rc == OM_OK) {
        out->assigns = om_region_take(&f->region, v.count, sizeof *out->assigns);
        out->written = om_region_take(&f->region, v.count, sizeof *out->written);
        rc = out->assigns == NULL || out->written == NULL ? om_fail_memory(f->ctx) : OM_OK;
    }
    for (; rc == OM_OK && out->count < v.count; out->count++) {
        out->assigns[out->count] = v.assigns[out->count];
        out->written[out->count] = v.written[out->count];
    }
    dve_move_free(&v);
    return rc;
}

static int prepare(sync *y)
{
    dve_file *f = y->l->file;
    uint64_t product = 1;
    int rc = OM_OK;
    for (dve_process *p = f->processes; p != NULL && rc == OM_OK; p = p->next) {
        if (p->is_property)
            continue;
        if (p->commits != NULL)
            DVE_WARN(f, p->commits->pos, "\"commit\" has no effect in a synchronous system");
        product *= p->transition_count;
        if (product > DVE_MAX_TRANSITIONS)
            return DVE_FAIL(f, p->pos,
                "the processes up to \"%s\" have more than %d joint transitions", p->name,
                (int) DVE_MAX_TRANSITIONS);
        half *halves = om_region_take(&f->region, p->transition_count, sizeof *halves);
        if (halves == NULL)
            return om_fail_memory(f->ctx);
        uint32_t i = 0;
        for (const dve_transition *t = p->transitions; t != NULL && rc == OM_OK; t = t->next)
            rc = prepare_half(y, p, t, &halves[i++]);
        y->members[y->processes++] = (member){ p, halves, 0 };
    }
    return rc;
}

static const half *chosen_half(const sync *y, uint32_t i)
{
    assert(i < y->processes && y->members[i].chosen < y->members[i].p->transition_count);
    return &y->members[i].halves[y->members[i].chosen];
}

/* Returns in *twin the shadow or the view of a slot; creates it on first use. */
static int twin_of(sync *y, uint32_t slot, const char *mark, uint32_t *twin)
{
    dve_file *f = y->l->file;
    if (*twin != OM_NONE)
        return OM_OK;
    om_slot s = *om_model_slot(y->l->model, slot);
    om_text name = { .heap = f->region.heap };
    om_text_printf(&name, "%s%s", s.name, mark); /* not a legal name in the source */
    om_value *zeros = om_region_take(&f->region, s.length == 0 ? 1 : s.length, sizeof *zeros);
    s.name = name.text;
    s.process = OM_NONE;
    s.initial = zeros;
    int rc = name.failed || zeros == NULL ? om_fail_memory(f->ctx)
                                          : om_model_add_slot(y->l->model, &s, twin);
    om_text_free(&name);
    return rc;
}

/* to := from (0 if from is OM_NONE), element by element. */
static int copy_slot(sync *y, dve_move *v, uint32_t to, uint32_t from)
{
    om_model *m = y->l->model;
    uint32_t length = om_model_slot(m, to)->length;
    int rc = OM_OK;
    if (length == 0)
        return dve_move_assign(
            v, to, 0, from == OM_NONE ? om_expr_const(m, 0) : om_expr_slot(m, from));
    for (uint32_t i = 0; i < length && rc == OM_OK; i++) {
        om_expr index = om_expr_const(m, (om_value) i);
        rc = dve_move_assign(
            v, to, index, from == OM_NONE ? om_expr_const(m, 0) : om_expr_element(m, from, index));
    }
    return rc;
}

/* Returns e with reads of `slot` replaced by reads of `shadow`. */
static om_expr replaced(om_model *m, om_expr e, uint32_t slot, uint32_t shadow)
{
    if (e == 0 || !om_expr_reads(m, e, slot))
        return e;
    const om_node n = *om_model_node(m, e);
    switch ((om_op) n.op) {
    case OM_OP_SLOT:
        return om_expr_slot(m, shadow);
    case OM_OP_ELEMENT:
        return om_expr_element(m, n.a == slot ? shadow : n.a, replaced(m, n.b, slot, shadow));
    case OM_OP_NEG:
    case OM_OP_NOT:
    case OM_OP_COMPL:
        return om_expr_unary(m, (om_op) n.op, replaced(m, n.a, slot, shadow));
    default:
        return om_expr_binary(
            m, (om_op) n.op, replaced(m, n.a, slot, shadow), replaced(m, n.b, slot, shadow));
    }
}

/* Saves the slot's value of before the step in its shadow. */
static int save(sync *y, dve_move *saves, uint32_t s)
{
    assert(y->writer[s] != OM_NONE); /* a value that is not overwritten is not saved */
    int rc = twin_of(y, s, "'", &y->shadow[s]);
    if (rc != OM_OK || y->saved[s])
        return rc;
    y->saved[s] = true;
    return copy_slot(y, saves, y->shadow[s], s);
}

/* Makes an expression of process i read the values of before the step, if earlier processes have
 * written to them. */
static int as_before(sync *y, dve_move *saves, uint32_t i, om_expr *e)
{
    om_model *m = y->l->model;
    int rc = OM_OK;
    for (uint32_t k = 0; k < y->written_count && *e != 0 && rc == OM_OK; k++) {
        uint32_t s = y->written[k];
        bool viewed = y->viewer[s] == i;
        if ((y->writer[s] == i && !viewed) || !om_expr_reads(m, *e, s))
            continue;
        if (!viewed)
            rc = save(y, saves, s);
        if (rc == OM_OK)
            *e = replaced(m, *e, s, viewed ? y->view[s] : y->shadow[s]);
    }
    return rc;
}

/* Called before process i writes to an array that an earlier process wrote to. From here on
 * process i reads its view: the old contents with its own elements written over them, and none of
 * the other process's. */
static int begin_view(sync *y, dve_move *saves, dve_move *v, uint32_t i, uint32_t s)
{
    uint32_t other = y->writer[s];
    if (other == OM_NONE || other == i || om_model_slot(y->l->model, s)->length == 0)
        return OM_OK;
    int rc = save(y, saves, s);
    if (rc == OM_OK)
        rc = twin_of(y, s, "''", &y->view[s]);
    y->viewer[s] = i;
    return rc == OM_OK ? copy_slot(y, v, y->view[s], y->shadow[s]) : rc;
}

static int add_half(sync *y, dve_move *saves, dve_move *v, uint32_t i, const half *h)
{
    int rc = OM_OK;
    for (size_t k = 0; k < h->count && rc == OM_OK; k++) {
        om_assign a = h->assigns[k];
        assert(a.slot < y->slots); /* no shadow and no view */
        rc = as_before(y, saves, i, &a.index);
        if (rc == OM_OK)
            rc = as_before(y, saves, i, &a.value);
        if (rc == OM_OK)
            rc = begin_view(y, saves, v, i, a.slot);
        if (rc == OM_OK)
            rc = dve_move_assign_at(v, h->written[k], a);
        if (rc == OM_OK && y->viewer[a.slot] == i)
            rc = dve_move_assign(v, y->view[a.slot], a.index, a.value);
        uint32_t other = y->writer[a.slot];
        if (other != OM_NONE && other != i && !y->warned[a.slot]) {
            y->warned[a.slot] = true;
            DVE_WARN(y->l->file, h->t->pos,
                "\"%s\" is assigned by \"%s\" and \"%s\" in one step; the latter prevails",
                om_model_slot(y->l->model, a.slot)->name, y->members[other].p->name,
                y->members[i].p->name);
        }
        if (other == OM_NONE)
            y->written[y->written_count++] = a.slot;
        y->writer[a.slot] = i;
    }
    return rc;
}

static int label_joint(const sync *y, om_text *label)
{
    for (uint32_t i = 0; i < y->processes; i++) {
        const dve_transition *t = chosen_half(y, i)->t;
        om_text_printf(label, "%s%s: %s -> %s", i == 0 ? "" : " | ", y->members[i].p->name,
            t->from.name, t->to.name);
    }
    return label->failed ? om_fail_memory(y->l->file->ctx) : OM_OK;
}

/* The saves come first, then every process, then the shadows and views are reset to 0. */
static int join(sync *y, dve_move *all, dve_move *body, om_text *label)
{
    int rc = OM_OK;
    for (; y->written_count > 0; y->written_count--) {
        uint32_t s = y->written[y->written_count - 1];
        y->writer[s] = y->viewer[s] = OM_NONE;
        y->saved[s] = false;
    }
    assert(all->count == 0 && body->count == 0);
    for (uint32_t i = 0; i < y->processes; i++)
        dve_move_guard(all, chosen_half(y, i)->at);
    for (uint32_t i = 0; i < y->processes && rc == OM_OK; i++) {
        dve_move_guard(all, chosen_half(y, i)->guard);
        rc = add_half(y, all, body, i, chosen_half(y, i));
    }
    for (size_t k = 0; k < body->count && rc == OM_OK; k++)
        rc = dve_move_assign_at(all, body->written[k], body->assigns[k]);
    for (uint32_t k = 0; k < y->written_count && rc == OM_OK; k++)
        if (y->saved[y->written[k]])
            rc = copy_slot(y, all, y->shadow[y->written[k]], OM_NONE);
    for (uint32_t k = 0; k < y->written_count && rc == OM_OK; k++)
        if (y->viewer[y->written[k]] != OM_NONE)
            rc = copy_slot(y, all, y->view[y->written[k]], OM_NONE);
    if (rc == OM_OK)
        rc = label_joint(y, label);
    return rc == OM_OK ? dve_move_emit(all, OM_NONE, OM_NONE, chosen_half(y, 0)->t, label->text)
                       : rc;
}

static int join_chosen(sync *y)
{
    dve_scope scope = { .file = y->l->file, .model = y->l->model, .origin = y->l->file->file };
    dve_move all = { .scope = scope }, body = { .scope = scope };
    om_text label = { .heap = y->l->file->region.heap };
    int rc = join(y, &all, &body, &label);
    om_text_free(&label);
    dve_move_free(&all);
    dve_move_free(&body);
    return rc;
}

/* Advances to the next choice, the last process changing fastest; false after the last choice. */
static bool next_choice(sync *y)
{
    for (uint32_t i = y->processes; i-- > 0; y->members[i].chosen = 0)
        if (++y->members[i].chosen < y->members[i].p->transition_count)
            return true;
    return false;
}

int dve_lower_sync(dve_lowering *l)
{
    om_region *a = &l->file->region;
    sync y = { .l = l, .slots = om_model_slot_count(l->model) };
    uint32_t n = l->file->process_count;
    bool possible = true;
    y.members = om_region_take(a, n, sizeof *y.members);
    y.shadow = om_region_take(a, y.slots, sizeof *y.shadow);
    y.view = om_region_take(a, y.slots, sizeof *y.view);
    y.viewer = om_region_take(a, y.slots, sizeof *y.viewer);
    y.writer = om_region_take(a, y.slots, sizeof *y.writer);
    y.saved = om_region_take(a, y.slots, sizeof *y.saved);
    y.warned = om_region_take(a, y.slots, sizeof *y.warned);
    y.written = om_region_take(a, y.slots, sizeof *y.written);
    if (!y.members || !y.shadow || !y.view || !y.viewer || !y.writer || !y.saved || !y.warned ||
        !y.written)
        return om_fail_memory(l->file->ctx);
    for (uint32_t s = 0; s < y.slots; s++)
        y.shadow[s] = y.view[s] = y.viewer[s] = y.writer[s] = OM_NONE;
    int rc = prepare(&y);
    /* A process without a transition can never move, and then neither can the system. */
    for (uint32_t i = 0; i < y.processes; i++)
        possible = possible && y.members[i].p->transition_count != 0;
    if (rc != OM_OK || !possible || y.processes == 0)
        return rc;
    do
        rc = join_chosen(&y);
    while (rc == OM_OK && next_choice(&y));
    return rc;
}
