/* SPDX-License-Identifier: Apache-2.0 */
#include "bytecode.h"

#include "model.h"
#include "analysis/sites.h"

#include <assert.h>

uint32_t om_vm__emit(om_vm *vm, om_instr i)
{
    if (!OM_ROOM(vm->heap, vm->code, &vm->capacity, vm->count + 1) || vm->count >= UINT32_MAX) {
        vm->failed = true;
        return 0;
    }
    vm->code[vm->count] = i;
    return (uint32_t) vm->count++;
}

static uint32_t emit(om_vm *vm, unsigned op, uint32_t arg, om_value value)
{
    return om_vm__emit(vm, (om_instr){ .op = (uint8_t) op, .arg = arg, .value = value });
}

/* ---- positions of fields ---- */

/* Returns an instruction for the field of element `i` of a slot (0 for a scalar). */
static om_instr field(const om_slot *s, uint32_t i, unsigned op)
{
    uint32_t at = s->position + i * s->bits;
    assert(at % 32 + s->bits <= 32 && i < (s->length == 0 ? 1 : s->length)); /* V3 */
    return (om_instr){ .op = (uint8_t) op,
        .shift = (uint8_t) (at % 32),
        .arg = at / 32,
        .mask = UINT32_MAX >> (32 - s->bits),
        .value = om_slot__signed(s) && s->bits < 32 ? (om_value) (UINT32_C(1) << (s->bits - 1)) : 0,
        .limit = 1 };
}

static om_instr array(const om_slot *s, unsigned op)
{
    om_instr i = field(s, 0, op);
    i.arg = s->position;
    i.shift = 0;
    i.limit = s->length;
    while ((UINT32_C(1) << i.shift) < s->bits)
        i.shift++;
    assert(UINT32_C(1) << i.shift == s->bits); /* elements are aligned */
    return i;
}

/* Returns true if e reads a field at a position known at compile time. */
static bool fixed(const om_vm *vm, om_expr e, om_instr *out)
{
    const om_node *n = om_model_node(vm->model, e);
    if (n->op == OM_OP_SLOT) {
        *out = field(om_model__slot(vm->model, n->a), 0, OM_VM_LOAD);
        return true;
    }
    if (n->op != OM_OP_ELEMENT)
        return false;
    const om_slot *s = om_model__slot(vm->model, n->a);
    const om_node *i = om_model_node(vm->model, n->b);
    if (i->op != OM_OP_CONST || i->value < 0 || (uint32_t) i->value >= s->length)
        return false;
    *out = field(s, (uint32_t) i->value, OM_VM_LOAD);
    return true;
}

/* Sets *out to the bits, in place, of a field with the value v. Returns false if the field cannot
 * have this value. */
static bool in_place(const om_instr *f, om_value v, om_instr *out)
{
    uint32_t raw = (uint32_t) v & f->mask;
    assert(f->shift < 32 && (f->mask << f->shift) >> f->shift == f->mask); /* V3 */
    if (om_vm__field_value(raw, (uint32_t) f->value) != v)
        return false;
    *out = (om_instr){
        .arg = f->arg, .mask = f->mask << f->shift, .value = (om_value) (raw << f->shift)
    };
    return true;
}

bool om_vm__as_test(const om_vm *vm, om_expr e, om_instr *out)
{
    const om_node *n = om_model_node(vm->model, e);
    om_instr f;
    if (n->op == OM_OP_EQ) {
        const om_node *b = om_model_node(vm->model, n->b);
        return b->op == OM_OP_CONST && fixed(vm, n->a, &f) && in_place(&f, b->value, out);
    }
    if (n->op == OM_OP_NOT) /* x == 0 */
        return fixed(vm, n->a, &f) && in_place(&f, 0, out);
    return fixed(vm, e, &f) && f.mask == 1 && in_place(&f, 1, out);
}

/* ---- expressions ---- */

/* Emits the left operand, a jump over the right one if the left one decides, and the right
 * operand. */
static void short_circuit(om_vm *vm, const om_node *n)
{
    om_vm__expression(vm, n->a);
    uint32_t jump = n->op == OM_OP_OR ? emit(vm, OM_VM_WHEN, 0, 1)
                                      : emit(vm, OM_VM_UNLESS, 0, n->op == OM_OP_IMPLY);
    om_vm__expression(vm, n->b);
    if (!om_fold__is_boolean(vm->model, n->b))
        (void) emit(vm, OM_VM_TRUTH, 0, 0);
    if (!vm->failed)
        vm->code[jump].arg = (uint32_t) vm->count;
}

static void binary(om_vm *vm, const om_node *n)
{
    const om_node *b = om_model_node(vm->model, n->b);
    om_instr i = { .limit = 1 };
    unsigned form = OM_VM_STACKED;
    om_vm__expression(vm, n->a);
    if (b->op == OM_OP_CONST) {
        form = OM_VM_WITH_CONST;
        i.value = b->value;
    } else if (fixed(vm, n->b, &i)) {
        form = OM_VM_WITH_SLOT;
    } else {
        om_vm__expression(vm, n->b);
    }
    i.op = (uint8_t) OM_VM_OF(n->op, form);
    (void) om_vm__emit(vm, i);
}

/* Recursion is bounded by OM_EXPR_HEIGHT. */
void om_vm__expression(om_vm *vm, om_expr e)
{
    const om_node n = *om_model_node(vm->model, e);
    om_instr i;
    if (om_vm__as_test(vm, e, &i)) {
        i.op = OM_VM_EQ_AT;
        (void) om_vm__emit(vm, i);
        return;
    }
    if (fixed(vm, e, &i)) {
        (void) om_vm__emit(vm, i);
        return;
    }
    switch (n.op) {
    case OM_OP_CONST:
        (void) emit(vm, OM_VM_CONST, 0, n.value);
        break;
    case OM_OP_ELEMENT:
        om_vm__expression(vm, n.b);
        (void) om_vm__emit(vm, array(om_model__slot(vm->model, n.a), OM_VM_ELEMENT));
        break;
    case OM_OP_AND:
    case OM_OP_OR:
    case OM_OP_IMPLY:
        short_circuit(vm, &n);
        break;
    case OM_OP_NEG:
    case OM_OP_NOT:
    case OM_OP_COMPL:
        om_vm__expression(vm, n.a);
        (void) emit(vm, OM_VM_NEG + n.op - OM_OP_NEG, 0, 0);
        break;
    case OM_OP_NE: { /* as a comparison of bits in place, if possible */
        const om_node *b = om_model_node(vm->model, n.b);
        om_instr f;
        if (b->op == OM_OP_CONST && fixed(vm, n.a, &f) && in_place(&f, b->value, &i)) {
            i.op = OM_VM_NE_AT;
            (void) om_vm__emit(vm, i);
            break;
        }
        binary(vm, &n);
        break;
    }
    default:
        binary(vm, &n);
        break;
    }
}

uint32_t om_vm__value(om_vm *vm, om_expr e)
{
    uint32_t start = (uint32_t) vm->count;
    om_vm__expression(vm, e);
    (void) emit(vm, OM_VM_END, 0, 0);
    return start;
}

/* ---- effects ---- */

/* Emits the value, with an overflow check if the assignment is a site. */
static void valued(om_vm *vm, const om_assign *a, uint32_t site)
{
    const om_slot *s = om_model__slot(vm->model, a->slot);
    om_vm__expression(vm, a->value);
    if (site != OM_NONE)
        (void) om_vm__emit(vm, (om_instr){ .op = OM_VM_FIT,
                                   .arg = site,
                                   .value = s->low,
                                   .limit = (uint32_t) s->high - (uint32_t) s->low });
}

/* Stores to a position known at compile time. Consecutive constants for one word are merged into
 * one instruction. */
static void store(om_vm *vm, uint32_t start, om_instr to, const om_assign *a, uint32_t site)
{
    const om_node *v = om_model_node(vm->model, a->value);
    if (v->op != OM_OP_CONST || site != OM_NONE) {
        valued(vm, a, site);
        (void) om_vm__emit(vm, to);
        return;
    }
    uint32_t bits = ((uint32_t) v->value & to.mask) << to.shift, keep = ~(to.mask << to.shift);
    om_instr *last = vm->count > start ? &vm->code[vm->count - 1] : NULL;
    if (last != NULL && last->op == OM_VM_SET && last->arg == to.arg) {
        last->mask &= keep;
        last->value = (om_value) (((uint32_t) last->value & keep) | bits);
        return;
    }
    (void) om_vm__emit(
        vm, (om_instr){ .op = OM_VM_SET, .arg = to.arg, .mask = keep, .value = (om_value) bits });
}

/* Emits the index, its check, then the value: the order in which faults are reported. */
static void assign(om_vm *vm, uint32_t start, const om_assign *a, uint32_t site)
{
    const om_slot *s = om_model__slot(vm->model, a->slot);
    const om_node *i = om_model_node(vm->model, a->index);
    if (a->value == 0) {
        om_vm__expression(vm, a->index);
        (void) om_vm__emit(vm, array(s, OM_VM_CHECK));
        om_instr take = array(s, OM_VM_TAKE_OUT);
        take.value = (om_value) om_model__row(vm->model, a->slot);
        (void) om_vm__emit(vm, take);
    } else if (i == NULL) {
        store(vm, start, field(s, 0, OM_VM_STORE), a, site);
    } else if (i->op == OM_OP_CONST && i->value >= 0 && (uint32_t) i->value < s->length) {
        store(vm, start, field(s, (uint32_t) i->value, OM_VM_STORE), a, site);
    } else {
        om_vm__expression(vm, a->index);
        (void) om_vm__emit(vm, array(s, OM_VM_CHECK));
        valued(vm, a, site);
        (void) om_vm__emit(vm, array(s, OM_VM_STORE_ELEMENT));
    }
}

uint32_t om_vm__effect(om_vm *vm, uint32_t transition)
{
    const om_transition *t = om_model_transition(vm->model, transition);
    uint32_t start = (uint32_t) vm->count;
    for (uint32_t i = 0; i < t->assign_count; i++)
        assign(vm, start, &t->assigns[i], om_model__site(vm->model, transition, i));
    (void) emit(vm, OM_VM_END, 0, 0);
    return start;
}

/* ---- the compiler ---- */

int om_vm__compile(om_vm *vm, const om_expr *aps, uint32_t ap_count)
{
    assert(ap_count <= 64);
    if (!OM_NEW(vm->heap, vm->labels, ap_count))
        return OM_ENOMEM;
    om_vm__index_moves(vm);
    for (uint32_t i = 0; i < ap_count; i++)
        vm->labels[i] = om_vm__value(vm, aps[i]);
    return vm->failed ? OM_ENOMEM : OM_OK;
}
