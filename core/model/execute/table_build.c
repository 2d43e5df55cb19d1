/* SPDX-License-Identifier: Apache-2.0 */
/* Converts guards to tests of fields, and assignments to additions to words; see table_build.h. */
#include "table_build.h"

#include "analysis/intervals.h"

#include <assert.h>

/* ---- guards ---- */

/* Sets *slot and *r if e states that the slot's value is in the interval r; otherwise returns
 * false. */
static bool as_range(const om_model *m, om_expr e, const om_slot **slot, om_interval *r)
{
    const om_node *n = om_model_node(m, e);
    om_op op = (om_op) n->op;
    const om_node *a = n, *b;
    om_value c = 0;
    if (op >= OM_OP_LT && op <= OM_OP_GT) {
        a = om_model_node(m, n->a);
        b = om_model_node(m, n->b);
        if (b->op != OM_OP_CONST)
            return false;
        c = b->value;
    } else if (op == OM_OP_NOT) {
        a = om_model_node(m, n->a);
        op = OM_OP_EQ;
    } else {
        op = OM_OP_NE;
    }
    if (a->op != OM_OP_SLOT)
        return false;
    *slot = om_model__slot(m, a->a);
    const om_interval all = om_interval__of_slot(*slot);
    if (op == OM_OP_NE && c != all.low && c != all.high)
        return false;
    *r = om_interval__meet(all, om_interval__allowed(op, all, (om_interval){ c, c }));
    return true;
}

/* Returns true if e is a test or is constantly true. */
static bool add_test(om_table_plan *p, om_table_sketch *s, om_expr e)
{
    const om_slot *slot;
    om_interval r;
    if (!as_range(p->m, e, &slot, &r))
        return false;
    if (om_interval__empty(r)) {
        s->never = true;
        return true;
    }
    if (om_interval__within(om_interval__of_slot(slot), r))
        return true;
    if (r.low < 0)
        return false;
    if (!OM_ROOM(p->table->heap, p->conjuncts, &p->conjunct_capacity, p->conjunct_count + 1)) {
        p->failed = true;
        return true;
    }
    const uint32_t shift = slot->position % 32;
    assert(r.high <= (om_wide) (UINT32_MAX >> (32 - slot->bits)));
    p->conjuncts[p->conjunct_count++] =
        (om_table_conjunct){ .test = { .word = slot->position / 32,
                                 .mask = UINT32_MAX >> (32 - slot->bits) << shift,
                                 .low = (uint32_t) r.low << shift,
                                 .span = (uint32_t) (r.high - r.low) << shift } };
    p->users[slot->position]++;
    return true;
}

static void add_rest(om_table_plan *p, om_expr e)
{
    if (!OM_ROOM(p->table->heap, p->rest, &p->rest_capacity, p->rest_count + 1)) {
        p->failed = true;
        return;
    }
    p->rest[p->rest_count++] = e;
}

/* Recursion is bounded by OM_EXPR_HEIGHT. */
static void take_apart(om_table_plan *p, om_table_sketch *s, om_expr e)
{
    const om_node n = *om_model_node(p->m, e);
    if (n.op == OM_OP_AND) {
        take_apart(p, s, n.a);
        take_apart(p, s, n.b);
    } else if (n.op == OM_OP_CONST) {
        s->never = s->never || n.value == 0;
    } else if (!add_test(p, s, e)) {
        add_rest(p, e);
    }
}

/* Emits the remaining conjuncts as a program, one after the other. */
static uint32_t rest_program(om_table_plan *p)
{
    const uint32_t start = (uint32_t) p->vm->count;
    if (p->rest_count == 0)
        return OM_NONE;
    for (size_t i = 0; i < p->rest_count; i++) {
        if (i > 0)
            (void) om_vm__emit(p->vm, (om_instr){ .op = OM_VM_NEED });
        om_vm__expression(p->vm, p->rest[i]);
    }
    (void) om_vm__emit(p->vm, (om_instr){ .op = OM_VM_END });
    return start;
}

/* Returns false if the guard may fault. */
static bool sketch_guard(om_table_plan *p, uint32_t number)
{
    om_table_sketch *s = &p->sketches[number];
    const om_expr guard = om_model_transition(p->m, number)->guard;
    *s = (om_table_sketch){
        .first = (uint32_t) p->conjunct_count, .program = OM_NONE, .watch = OM_NONE
    };
    p->rest_count = 0;
    if (guard != 0 && p->m->facts[guard].faults)
        return false;
    if (guard != 0)
        take_apart(p, s, guard);
    s->end = (uint32_t) p->conjunct_count;
    s->program = s->never ? OM_NONE : rest_program(p);
    return true;
}

/* ---- effects ---- */

/* Sets *out to the effect of the assignment on the slot's word. Returns false for other forms. */
static bool as_change(const om_model *m, const om_assign *a, om_table_change *out)
{
    const om_slot *s = om_model__slot(m, a->slot);
    const om_node *v = om_model_node(m, a->value);
    const uint32_t shift = s->position % 32, mask = UINT32_MAX >> (32 - s->bits);
    *out = (om_table_change){ .word = s->position / 32, .keep = UINT32_MAX };
    if (a->index != 0)
        return false;
    if (v->op == OM_OP_CONST) {
        out->keep = ~(mask << shift);
        out->add = ((uint32_t) v->value & mask) << shift;
        return true;
    }
    if (v->op != OM_OP_ADD && v->op != OM_OP_SUB)
        return false;
    const om_node *x = om_model_node(m, v->a), *y = om_model_node(m, v->b);
    if (x->op != OM_OP_SLOT || x->a != a->slot || y->op != OM_OP_CONST ||
        (om_slot__signed(s) && s->bits < 32))
        return false;
    out->add = (v->op == OM_OP_ADD ? (uint32_t) y->value : 0u - (uint32_t) y->value) << shift;
    return true;
}

/* Adds a change, merged with the transition's change of the same word if there is one. */
static void add_change(om_table_plan *p, uint32_t number, const om_table_change *c)
{
    om_table *t = p->table;
    for (size_t i = t->change_of[number]; i < t->change_count; i++)
        if (t->changes[i].word == c->word) {
            t->changes[i].keep &= c->keep;
            t->changes[i].add += c->add;
            return;
        }
    if (!OM_ROOM(t->heap, t->changes, &t->change_capacity, t->change_count + 1)) {
        p->failed = true;
        return;
    }
    t->changes[t->change_count++] = *c;
}

/* Each slot may be assigned only once: the effect of a second assignment depends on the first. */
static bool assigned_before(const om_transition *tr, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (tr->assigns[k].slot == tr->assigns[i].slot)
            return true;
    return false;
}

enum { CHANGES_MOST = 1024 }; /* per transition, because each is compared with all earlier ones */

static bool sketch_effect(om_table_plan *p, uint32_t number)
{
    const om_transition *tr = om_model_transition(p->m, number);
    om_table_change c;
    p->table->change_of[number] = (uint32_t) p->table->change_count;
    if (tr->assign_count > CHANGES_MOST)
        return false;
    for (uint32_t i = 0; i < tr->assign_count; i++) {
        if (assigned_before(tr, i) || !as_change(p->m, &tr->assigns[i], &c))
            return false;
        add_change(p, number, &c);
    }
    return true;
}

/* ---- building the table ---- */

/* Returns true if the field holds every value that is stored. The bound of a place guarantees that,
 * as do the enumerators of a location. */
static bool stays_inside(const om_model *m, uint32_t t, uint32_t i, size_t number)
{
    const om_slot *s = om_model__slot(m, om_model_transition(m, t)->assigns[i].slot);
    return s->bits == 32 || s->type == OM_ENUM || om_intervals__fits(m, t, i, number);
}

bool om_table__may_have(const om_model *m)
{
    om_table_change c;
    size_t number = 0;
    if (m->site_count != 0 || m->resets != 0 || om_model_transition_count(m) == 0)
        return false;
    for (uint32_t t = 0; t < om_model_transition_count(m); t++) {
        const om_transition *tr = om_model_transition(m, t);
        for (uint32_t i = 0; i < tr->assign_count; i++, number++)
            if (!as_change(m, &tr->assigns[i], &c) || !stays_inside(m, t, i, number))
                return false;
    }
    return true;
}

static int sketch_all(om_table_plan *p)
{
    const uint32_t count = om_model_transition_count(p->m);
    for (uint32_t t = 0; t < count; t++) {
        if (!sketch_guard(p, t) || !sketch_effect(p, t))
            return OM_EUNSUPPORTED;
        if (p->failed || p->vm->failed)
            return OM_ENOMEM;
    }
    p->table->change_of[count] = (uint32_t) p->table->change_count;
    assert(p->table->change_of[count] <= p->table->change_capacity);
    return OM_OK;
}

/* Returns true if most transitions are watched; otherwise the table has no advantage. */
static bool worth_it(const om_table_plan *p)
{
    const uint32_t count = om_model_transition_count(p->m);
    uint32_t found = 0;
    for (uint32_t t = 0; t < count; t++)
        found += p->sketches[t].never || p->sketches[t].watch != OM_NONE;
    return found >= count - count / 4;
}

static int build(om_table_plan *p)
{
    int rc = sketch_all(p);
    if (rc == OM_OK)
        rc = om_table__choose(p);
    if (rc == OM_OK && !worth_it(p))
        rc = OM_EUNSUPPORTED;
    return rc == OM_OK ? om_table__arrange(p) : rc;
}

int om_table__build(om_table *t, const om_model *m)
{
    om_table_plan p = { .table = t, .m = m, .vm = t->vm->self };
    const size_t count = om_model_transition_count(m), bits = (size_t) m->words * 32;
    int rc = OM_NEW(t->heap, p.sketches, count) && OM_NEW(t->heap, p.users, bits) &&
                     OM_NEW(t->heap, t->change_of, count + 1)
                 ? build(&p)
                 : OM_ENOMEM;
    OM_FREE_ALL(t->heap, p.sketches, p.conjuncts, p.rest, p.users);
    return rc;
}
