/* SPDX-License-Identifier: Apache-2.0 */
#include "bytecode.h"

#include "model.h"
#include "analysis/sites.h"
#include "form/interval.h"

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

/* Returns true if e holds unless (word arg & mask) == value, and sets these three in *out. */
static bool as_unequal(const om_vm *vm, om_expr e, om_instr *out)
{
    const om_node *n = om_model_node(vm->model, e);
    om_instr f;
    if (n->op != OM_OP_NE)
        return false;
    const om_node *b = om_model_node(vm->model, n->b);
    return b->op == OM_OP_CONST && fixed(vm, n->a, &f) && in_place(&f, b->value, out);
}

/* Returns true if e holds exactly if *operand is in the range. */
static bool as_interval(const om_vm *vm, om_expr e, om_expr *operand, om_interval *out)
{
    const om_model *m = vm->model;
    const om_node *n = om_model_node(m, e);
    if (n->op < OM_OP_LT || n->op > OM_OP_GT)
        return false;
    const om_node *b = om_model_node(m, n->b);
    const om_interval of = om_interval__of(m, n->a), c = { b->value, b->value },
                      all = om_interval__allowed((om_op) n->op, of, c);
    if (b->op != OM_OP_CONST || om_interval__empty(all) ||
        (n->op == OM_OP_NE && of.low != b->value && of.high != b->value))
        return false;
    *operand = n->a;
    *out = all;
    return true;
}

static void set_range(om_instr *i, om_interval r)
{
    i->value = (om_value) r.low;
    i->limit = (uint32_t) (r.high - r.low);
}

bool om_vm__as_range(const om_vm *vm, om_expr e, om_instr *out)
{
    om_expr operand;
    om_interval r;
    if (!as_interval(vm, e, &operand, &r) || !fixed(vm, operand, out) || out->value != 0)
        return false;
    out->op = OM_VM_NEED_IN_AT;
    set_range(out, r);
    return true;
}

/* ---- jumps ---- */

/* The end of a jump: the instruction that it goes to, and whether it pushes a value, and which. */
typedef struct landing {
    uint32_t at;
    bool pushes;
    om_value value;
} landing;

static bool jumps_at(unsigned op)
{
    return op == OM_VM_UNLESS_AT || op == OM_VM_WHEN_AT;
}

/* Passes the landing through an instruction that only consumes or changes the value that is
 * pushed. `end`: the end of the program. Returns false if there is none. */
static bool pass_through(const om_vm *vm, landing *l, uint32_t end)
{
    const om_instr *i = &vm->code[l->at];
    bool goes_on = l->value != 0;
    switch (i->op) {
    case OM_VM_NOT:
    case OM_VM_TRUTH:
        l->value = (i->op == OM_VM_NOT) != goes_on;
        l->at++;
        return true;
    case OM_VM_WHEN:
    case OM_VM_UNLESS:
        if (goes_on == (i->op == OM_VM_WHEN)) {
            *l = (landing){ i->arg, true, i->value };
            return true;
        }
        break;
    case OM_VM_PASS_WHEN:
    case OM_VM_PASS_UNLESS:
        if (goes_on == (i->op == OM_VM_PASS_WHEN)) {
            *l = (landing){ i->arg, false, 0 };
            return true;
        }
        break;
    case OM_VM_NEED_IN:
        goes_on = (om_uvalue) l->value - (om_uvalue) i->value <= i->limit;
        /* fallthrough */
    case OM_VM_NEED:
        if (!goes_on) {
            *l = (landing){ end, true, 0 };
            return false;
        }
        break;
    default:
        return false;
    }
    *l = (landing){ l->at + 1, false, 0 };
    return true;
}

/* Makes a jump go where the instructions at its target lead. Those after it are done already. */
static void thread_jump(om_vm *vm, om_instr *i, uint32_t end)
{
    const bool at = jumps_at(i->op);
    if (!at && i->op != OM_VM_UNLESS && i->op != OM_VM_WHEN)
        return;
    landing l = { at ? i->limit : i->arg, true, at ? i->shift : i->value };
    while (l.pushes && pass_through(vm, &l, end)) {
    }
    if (!l.pushes)
        i->op = (uint8_t) (i->op + (OM_VM_PASS_UNLESS - OM_VM_UNLESS));
    if (at) {
        i->limit = l.at;
        i->shift = (uint8_t) l.value;
    } else {
        i->arg = l.at;
        i->value = l.value;
    }
}

void om_vm__end(om_vm *vm, uint32_t start)
{
    const uint32_t end = emit(vm, OM_VM_END, 0, 0);
    for (uint32_t k = end; k > start && !vm->failed; k--)
        thread_jump(vm, &vm->code[k - 1], end);
}

/* ---- expressions ---- */

/* Emits a jump that is taken if e decides the operator (`when`: if it holds), with e; returns it.
 */
static uint32_t jump_on(om_vm *vm, om_expr e, bool when, bool pushed)
{
    om_instr i;
    const bool test = om_vm__as_test(vm, e, &i), unequal = !test && as_unequal(vm, e, &i);
    if (test || unequal) {
        i.op = when == test ? OM_VM_WHEN_AT : OM_VM_UNLESS_AT;
        i.shift = pushed;
        return om_vm__emit(vm, i);
    }
    om_vm__expression(vm, e);
    return emit(vm, when ? OM_VM_WHEN : OM_VM_UNLESS, 0, pushed);
}

/* Emits the left operand, a jump over the right one if the left one decides, and the right
 * operand. */
static void short_circuit(om_vm *vm, const om_node *n)
{
    const uint32_t jump = jump_on(vm, n->a, n->op == OM_OP_OR, n->op != OM_OP_AND);
    om_vm__expression(vm, n->b);
    if (!om_fold__is_boolean(vm->model, n->b))
        (void) emit(vm, OM_VM_TRUTH, 0, 0);
    if (vm->failed)
        return;
    *(jumps_at(vm->code[jump].op) ? &vm->code[jump].limit : &vm->code[jump].arg) =
        (uint32_t) vm->count;
}

/* Emits a remainder by a constant of a sum that is not negative. Returns false if n is none. */
static bool remainder_by_constant(om_vm *vm, const om_node *n)
{
    const om_model *m = vm->model;
    const om_node *by = om_model_node(m, n->b), *sum = om_model_node(m, n->a);
    om_instr i = { .limit = 1 };
    if (n->op != OM_OP_MOD || by->op != OM_OP_CONST || by->value <= 0 ||
        om_interval__of(m, n->a).low < 0)
        return false;
    const uint32_t limit = (uint32_t) by->value;
    const bool adds = sum->op == OM_OP_ADD && om_model_node(m, sum->b)->op == OM_OP_CONST;
    const om_expr of = adds ? sum->a : n->a;
    const om_value addend = adds ? om_model_node(m, sum->b)->value : 0;
    i.op = OM_VM_WRAP;
    if (fixed(vm, of, &i) && i.value == 0)
        i.op = OM_VM_WRAP_AT;
    else {
        om_vm__expression(vm, of);
        i = (om_instr){ .op = OM_VM_WRAP };
    }
    i.value = addend;
    i.limit = limit;
    (void) om_vm__emit(vm, i);
    return true;
}

static void binary(om_vm *vm, const om_node *n)
{
    const om_node *b = om_model_node(vm->model, n->b);
    om_instr i = { .limit = 1 };
    unsigned form = OM_VM_STACKED;
    if (remainder_by_constant(vm, n))
        return;
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
    if (as_unequal(vm, e, &i)) {
        i.op = OM_VM_NE_AT;
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
    default:
        binary(vm, &n);
        break;
    }
}

void om_vm__need(om_vm *vm, om_expr e)
{
    om_instr need = { .op = OM_VM_NEED };
    om_expr operand = e;
    om_interval r;
    if (as_interval(vm, e, &operand, &r)) {
        need.op = OM_VM_NEED_IN;
        set_range(&need, r);
    }
    om_vm__expression(vm, operand);
    (void) om_vm__emit(vm, need);
}

uint32_t om_vm__value(om_vm *vm, om_expr e)
{
    uint32_t start = (uint32_t) vm->count;
    om_vm__expression(vm, e);
    om_vm__end(vm, start);
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
    om_vm__end(vm, start);
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
