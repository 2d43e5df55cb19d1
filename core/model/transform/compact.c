/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C1  No value is ever wrong. An open slot of n bits holds 0 .. 2^n - 1, and its assertion requires
 *     that it is at most 2^n - 1 - rise. If the assertion holds in a state, all values of the
 *     successors fit; if it fails, the state has no successors. A slot of 32 bits keeps the model's
 *     own assertion.
 * C2  In a reachable state, an implied slot that is left out is (constant - sum) / divisor, without
 *     remainder; the slots of the sum are kept, or constants.
 */
#include "compact.h"

#include "compact_choose.h"
#include "model.h"
#include "form/proved.h"
#include "form/rewrite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct om_compact {
    const om_heap *heap;
    om_model *full, *model;
    const uint8_t *bits; /* borrowed from the caller while the form is being made */
    uint8_t *width;      /* by slot of the full model */
    uint32_t *number;    /* by slot: the compact form's slot; OM_NONE: left out */
    uint32_t *implied;   /* by slot: its implied slot if left out; OM_NONE: constant */
    om_rewrite rewrite;  /* of the full model's expressions */
    uint32_t left_out;
    om_assign *assigns; /* of one transition */
    size_t assign_room;
};

/* ---- expressions ---- */

static bool is_constant(const om_compact *c, uint32_t slot)
{
    return c->number[slot] == OM_NONE && c->implied[slot] == OM_NONE;
}

static om_value constant_of(const om_compact *c, uint32_t slot)
{
    return om_model__slot(c->full, slot)->initial[0];
}

/* Returns an expression for a slot that is not implied. */
static om_expr read_slot(om_compact *c, uint32_t slot)
{
    assert(c->implied[slot] == OM_NONE); /* C2 */
    return is_constant(c, slot) ? om_expr_const(c->model, constant_of(c, slot))
                                : om_expr_slot(c->model, c->number[slot]);
}

/* (constant - sum) / divisor */
static om_expr sum_of(om_compact *c, const om_implied *p)
{
    om_model *m = c->model;
    om_expr sum = om_expr_const(m, p->constant);
    for (uint32_t i = 0; i < p->count; i++) {
        const om_value factor = p->terms[i].factor, size = factor < 0 ? -factor : factor;
        const om_expr slot = read_slot(c, p->terms[i].slot);
        const om_expr part =
            size == 1 ? slot : om_expr_binary(m, OM_OP_MUL, slot, om_expr_const(m, size));
        sum = om_expr_binary(m, factor < 0 ? OM_OP_ADD : OM_OP_SUB, sum, part);
    }
    return p->divisor == 1 ? sum : om_expr_binary(m, OM_OP_DIV, sum, om_expr_const(m, p->divisor));
}

/* Replaces a slot that is left out by its expression, and a kept one by its new number. */
static om_expr instead(void *self, om_expr e, om_node n)
{
    om_compact *c = self;
    (void) e;
    if (n.op != OM_OP_SLOT)
        return 0;
    return c->implied[n.a] == OM_NONE ? read_slot(c, n.a)
                                      : sum_of(c, &c->full->implied[c->implied[n.a]]);
}

int om_compact__express(om_compact *c, om_expr e, om_expr *out)
{
    return om_rewrite__expr(&c->rewrite, e, out) == OM_OK ? om_model_expr_check(c->model, NULL)
                                                          : om_fail_memory(c->full->ctx);
}

/* ---- slots ---- */

static void find_widths(om_compact *c)
{
    const om_model *m = c->full;
    for (size_t s = 0; s < m->slots.count; s++)
        c->width[s] = (uint8_t) om_model__slot(m, (uint32_t) s)->bits;
    for (size_t i = 0; i < m->open_count; i++)
        c->width[m->open[i].slot] = c->bits[i];
}

/* Finds constant slots, which take no bits. */
static int find_constants(om_compact *c)
{
    const om_model *m = c->full;
    const size_t slots = m->slots.count;
    bool *assigned = m->constants_left_out ? om_alloc(c->heap, slots, sizeof *assigned) : NULL;
    for (size_t s = 0; s < slots; s++)
        c->implied[s] = OM_NONE;
    if (assigned == NULL)
        return m->constants_left_out ? om_fail_memory(m->ctx) : OM_OK;
    for (size_t t = 0; t < m->transitions.count; t++) {
        const om_transition *x = m->transitions.at[t];
        for (uint32_t i = 0; i < x->assign_count; i++)
            assigned[x->assigns[i].slot] = true;
    }
    for (size_t s = 0; s < slots; s++)
        if (!assigned[s]) {
            c->number[s] = OM_NONE;
            c->width[s] = 0;
            c->left_out++;
        }
    om_free(c->heap, assigned);
    return OM_OK;
}

static int find_left_out(om_compact *c)
{
    const om_model *m = c->full;
    bool *left_out = om_alloc(c->heap, m->implied_count, sizeof *left_out);
    if (left_out == NULL)
        return om_fail_memory(m->ctx);
    int rc = m->implied_count == 0 ? OM_OK : om_compact__choose(m, c->width, left_out);
    for (size_t i = 0; i < m->implied_count && rc == OM_OK; i++)
        if (left_out[i]) {
            assert(c->number[m->implied[i].slot] != OM_NONE); /* else it is a constant */
            c->number[m->implied[i].slot] = OM_NONE;
            c->implied[m->implied[i].slot] = (uint32_t) i;
            c->left_out++;
        }
    om_free(c->heap, left_out);
    return rc;
}

static int add_slots(om_compact *c)
{
    int rc = OM_OK;
    for (uint32_t s = 0; s < c->full->slots.count && rc == OM_OK; s++) {
        om_slot slot = *om_model__slot(c->full, s);
        if (c->number[s] == OM_NONE)
            continue;
        if (c->width[s] < slot.bits)
            slot.type = c->width[s] == OM_OPEN_FIRST ? OM_U8 : OM_U16;
        rc = om_model_add_slot(c->model, &slot, &c->number[s]);
    }
    return rc;
}

/* ---- transitions and assertions ---- */

static int add_transition(om_compact *c, const om_transition *t)
{
    om_transition made = *t;
    if (!OM_ROOM(c->heap, c->assigns, &c->assign_room, t->assign_count))
        return om_fail_memory(c->full->ctx);
    int rc = om_compact__express(c, t->guard, &made.guard);
    made.assign_count = 0;
    for (uint32_t i = 0; i < t->assign_count && rc == OM_OK; i++) {
        om_assign a = { .slot = c->number[t->assigns[i].slot] };
        if (a.slot == OM_NONE)
            continue;
        rc = om_compact__express(c, t->assigns[i].value, &a.value);
        c->assigns[made.assign_count++] = a;
    }
    made.assigns = c->assigns;
    return rc == OM_OK ? om_model_add_transition(c->model, &made, NULL) : rc;
}

static int add_assertion(om_compact *c, uint32_t number)
{
    const uint32_t open = om_model__open_of(c->full, number);
    om_assertion a = *om_model_assertion(c->full, number);
    if (!om_model__checks(c->full, number)) {
        a.condition = om_expr_const(c->model, 1);
        return om_model_add_assertion(c->model, &a);
    }
    int rc = om_compact__express(c, a.condition, &a.condition);
    if (rc == OM_OK && open != OM_NONE && c->bits[open] < OM_OPEN_LAST) { /* C1 */
        const om_open *o = &c->full->open[open];
        const om_value most = (om_value) ((1u << c->bits[open]) - 1) - o->rise;
        a.condition = om_expr_binary(c->model, OM_OP_LE, om_expr_slot(c->model, c->number[o->slot]),
            om_expr_const(c->model, most));
        rc = om_model_expr_check(c->model, &a.place);
    }
    if (rc == OM_OK)
        rc = om_model_add_assertion(c->model, &a);
    return rc == OM_OK && om_model__is_final(c->full, number) ? om_model_set_final(c->model) : rc;
}

static int add_all(om_compact *c)
{
    int rc = add_slots(c);
    for (size_t t = 0; t < c->full->transitions.count && rc == OM_OK; t++)
        rc = add_transition(c, c->full->transitions.at[t]);
    for (uint32_t i = 0; i < c->full->assertions.count && rc == OM_OK; i++)
        rc = add_assertion(c, i);
    return rc == OM_OK ? om_model_finish(c->model) : rc;
}

/* ---- making the form ---- */

static int make(om_compact *c)
{
    const size_t slots = c->full->slots.count;
    if (!OM_NEW(c->heap, c->width, slots) || !OM_NEW(c->heap, c->number, slots) ||
        !OM_NEW(c->heap, c->implied, slots))
        return om_fail_memory(c->full->ctx);
    find_widths(c);
    int rc = find_constants(c);
    if (rc == OM_OK)
        rc = find_left_out(c);
    if (rc != OM_OK || (c->left_out == 0 && c->full->open_count == 0))
        return rc;
    rc = om_model_new(&c->model, c->full->ctx, c->full->name);
    c->rewrite = (om_rewrite){ .from = c->full, .to = c->model, .instead = instead, .self = c };
    if (rc == OM_OK)
        rc = add_all(c);
    if (rc == OM_OK)
        om_model__set_asserted(c->model, c->full->asserted);
    c->bits = NULL;
    return rc;
}

/* Returns true if the model has the form that nets are lowered to, without data that would have to
 * be copied in addition. */
static bool may_be_compact(const om_model *m)
{
    bool may = m->finished &&
               (m->open_count != 0 || m->implied_count != 0 || m->constants_left_out) &&
               m->processes.count == 0 && m->site_count == 0 && m->resets == 0;
    for (size_t s = 0; s < m->slots.count && may; s++)
        may = om_model__slot(m, (uint32_t) s)->length == 0;
    return may;
}

int om_compact__new(om_compact **out, om_model *m, const uint8_t *bits)
{
    *out = NULL;
    if (!may_be_compact(m))
        return OM_OK;
    om_compact *c = om_alloc(m->heap, 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(m->ctx);
    *c = (om_compact){ .heap = m->heap, .full = m, .bits = bits };
    int rc = make(c);
    if (rc == OM_OK && c->model != NULL && (c->model->words < m->words || m->open_count != 0))
        *out = c;
    else
        om_compact__free(c);
    return rc;
}

void om_compact__free(om_compact *c)
{
    if (c == NULL)
        return;
    om_rewrite__close(&c->rewrite);
    om_model_free(c->model);
    OM_FREE_ALL(c->heap, c->width, c->number, c->implied, c->assigns, c);
}

om_model *om_compact__model(const om_compact *c)
{
    return c->model;
}

uint32_t om_compact__left_out(const om_compact *c)
{
    return c->left_out;
}

/* Returns the value of a slot that is not implied. */
static om_value get(const om_compact *c, const uint32_t *vector, uint32_t slot)
{
    assert(c->implied[slot] == OM_NONE); /* C2 */
    return is_constant(c, slot) ? constant_of(c, slot)
                                : om_slot_get(om_model__slot(c->model, c->number[slot]), vector, 0);
}

const om_slot *om_compact__field(const om_compact *c, uint32_t slot)
{
    return c->implied[slot] != OM_NONE || is_constant(c, slot)
               ? NULL
               : om_model__slot(c->model, c->number[slot]);
}

om_value om_compact__get(const om_compact *c, const uint32_t *vector, uint32_t slot)
{
    if (c->implied[slot] == OM_NONE)
        return get(c, vector, slot);
    const om_implied *p = &c->full->implied[c->implied[slot]];
    om_wide sum = p->constant;
    for (uint32_t i = 0; i < p->count; i++)
        sum -= (om_wide) p->terms[i].factor * get(c, vector, p->terms[i].slot);
    assert(sum % p->divisor == 0); /* C2 */
    return (om_value) (sum / p->divisor);
}
