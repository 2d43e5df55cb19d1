/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytecode vm: the executor that is always there, and the referee of every lasso. It shares no
 * code with the generator, so that a mistake in one shows against the other.
 */
#include "vm.h"

#include <assert.h>
#include <string.h>

/* Each operand of a tree of height h leaves at most one value behind it. */
enum { STACK = OM_EXPR_HEIGHT + 2 };

/* A result of 32 bits as the number it stands for. */
static int32_t number(uint32_t bits)
{
    return (int32_t) bits;
}

/* a op b; *fault is set where there is no result. NEG, NOT and COMPL look at a alone. */
static int32_t operate(uint32_t op, int32_t a, int32_t b, om_fault *fault)
{
    uint32_t x = (uint32_t) a, y = (uint32_t) b;
    switch (op) {
    case OM_OP_NEG:
        return number(0u - x);
    case OM_OP_NOT:
        return a == 0;
    case OM_OP_COMPL:
        return number(~x);
    case OM_OP_ADD:
        return number(x + y);
    case OM_OP_SUB:
        return number(x - y);
    case OM_OP_MUL:
        return number(x * y);
    case OM_OP_DIV:
    case OM_OP_MOD:
        if (b == 0) {
            *fault = OM_FAULT_DIVISION;
            return 0;
        }
        if (b == -1)
            return op == OM_OP_DIV ? number(0u - x) : 0;
        return op == OM_OP_DIV ? a / b : a % b;
    case OM_OP_BAND:
        return number(x & y);
    case OM_OP_BOR:
        return number(x | y);
    case OM_OP_BXOR:
        return number(x ^ y);
    case OM_OP_SHL:
        return number(x << (y & 31));
    case OM_OP_SHR:
        return a < 0 ? number(~(~x >> (y & 31))) : number(x >> (y & 31));
    case OM_OP_LT:
        return a < b;
    case OM_OP_LE:
        return a <= b;
    case OM_OP_EQ:
        return a == b;
    case OM_OP_NE:
        return a != b;
    case OM_OP_GE:
        return a >= b;
    default:
        assert(op == OM_OP_GT);
        return a > b;
    }
}

static bool inside(const om_slot *s, int32_t index)
{
    return index >= 0 && (uint32_t) index < s->length;
}

/*
 * Runs the program at `pc`, which reads `vector` and, in an effect, writes to `into` (the same
 * vector then). Returns the value it leaves (0 for an effect); *fault is a bare kind when something
 * went wrong, else untouched.
 */
static int32_t run(
    const om_vm *vm, uint32_t pc, const uint32_t *vector, uint32_t *into, om_fault *fault)
{
    int32_t stack[STACK], *top = stack; /* the top is top[-1] */
    for (const om_instr *i = &vm->code[pc];; i++) {
        const om_slot *slot = i->op <= OM_VM_STORE_ELEMENT && i->op >= OM_VM_LOAD
                                  ? om_model__slot(vm->model, i->arg)
                                  : NULL;
        assert(top > stack || i->op == OM_VM_CONST || i->op == OM_VM_LOAD || i->op == OM_VM_END);
        assert(top - stack < STACK);
        switch (i->op) {
        case OM_VM_CONST:
            *top++ = i->value;
            break;
        case OM_VM_LOAD:
            *top++ = om_slot_get(slot, vector, 0);
            break;
        case OM_VM_ELEMENT:
        case OM_VM_CHECK:
            if (!inside(slot, top[-1])) {
                *fault = OM_FAULT_INDEX;
                return 0;
            }
            if (i->op == OM_VM_ELEMENT)
                top[-1] = om_slot_get(slot, vector, (uint32_t) top[-1]);
            break;
        case OM_VM_STORE:
            top--;
            om_slot_set(slot, into, 0, top[0]);
            break;
        case OM_VM_STORE_ELEMENT:
            assert(top > stack + 1);
            top -= 2;
            om_slot_set(slot, into, (uint32_t) top[0], top[1]);
            break;
        case OM_VM_UNLESS:
        case OM_VM_WHEN:
            if ((top[-1] != 0) == (i->op == OM_VM_WHEN)) {
                top[-1] = i->value;
                i = &vm->code[i->arg] - 1;
            } else {
                top--;
            }
            break;
        case OM_VM_TRUTH:
            top[-1] = top[-1] != 0;
            break;
        case OM_VM_END:
            return top == stack ? 0 : top[-1];
        case OM_OP_NEG:
        case OM_OP_NOT:
        case OM_OP_COMPL:
            top[-1] = operate(i->op, top[-1], 0, fault);
            break;
        default:
            assert(top > stack + 1);
            top--;
            top[-1] = operate(i->op, top[-1], top[0], fault);
            if (*fault != 0)
                return 0;
            break;
        }
    }
}

/* The value of a guard, an assertion or a label. */
static int32_t look(const om_vm *vm, uint32_t pc, const uint32_t *vector, om_fault *fault)
{
    return run(vm, pc, vector, NULL, fault);
}

/* Does the test that the guard begins with fail already? */
static bool ruled_out(const om_vm *vm, uint32_t t, const uint32_t *vector)
{
    const om_vm_test *test = &vm->tests[t];
    return test->slot != OM_NONE &&
           om_slot_get(om_model__slot(vm->model, test->slot), vector, 0) != test->value;
}

static om_fault check_assertions(const om_vm *vm, const uint32_t *vector)
{
    for (uint32_t i = 0; i < vm->assertion_count; i++) {
        om_fault fault = 0;
        if (look(vm, vm->assertions[i], vector, &fault) == 0)
            return OM_FAULT(fault != 0 ? OM_FAULT_IN_ASSERTION : OM_FAULT_ASSERTION, i);
    }
    return 0;
}

static int vm_append(const om_executor *x, const uint32_t *vector, om_successors *out)
{
    const om_vm *vm = x->self;
    out->fault = check_assertions(vm, vector);
    for (uint32_t t = 0; t < vm->transition_count && out->fault == 0; t++) {
        om_fault fault = 0;
        if (ruled_out(vm, t, vector))
            continue;
        bool enabled = look(vm, vm->guards[t], vector, &fault) != 0;
        if (enabled && fault == 0) {
            if (om_successors_reserve(out, out->count + 1, x->words) != OM_OK)
                return OM_ENOMEM;
            uint32_t *row = out->words + out->count * out->stride;
            memcpy(row, vector, x->words * sizeof *row);
            out->transition[out->count++] = t;
            (void) run(vm, vm->effects[t], row, row, &fault);
        }
        if (fault != 0)
            out->fault = OM_FAULT(fault, t);
    }
    return OM_OK;
}

static void vm_initial(const om_executor *x, uint32_t *vector)
{
    memcpy(vector, om_model_initial(x->model), x->words * sizeof *vector);
}

static uint64_t vm_labels(const om_executor *x, const uint32_t *vector, om_fault *fault)
{
    const om_vm *vm = x->self;
    uint64_t labels = 0;
    *fault = 0;
    for (uint32_t i = 0; i < x->aps; i++) {
        om_fault kind = 0;
        if (look(vm, vm->labels[i], vector, &kind) != 0)
            labels |= UINT64_C(1) << i;
        if (kind != 0) {
            *fault = OM_FAULT(OM_FAULT_IN_LABEL, i);
            return 0;
        }
    }
    return labels;
}

static void vm_close(om_executor *x)
{
    om_vm *vm = x->self;
    om_free(vm->heap, vm->code);
    om_free(vm->heap, vm->guards);
    om_free(vm->heap, vm->tests);
    om_free(vm->heap, vm->effects);
    om_free(vm->heap, vm->assertions);
    om_free(vm->heap, vm->labels);
    om_free(vm->heap, vm);
}

int om_vm__open(om_executor **out, om_model *m, const om_expr *aps, uint32_t ap_count)
{
    om_vm *vm = om_alloc(m->heap, 1, sizeof *vm);
    if (vm == NULL)
        return OM_ENOMEM;
    vm->heap = m->heap;
    vm->model = m;
    vm->executor = (om_executor){ .name = "vm",
        .words = om_model_words(m),
        .aps = ap_count,
        .self = vm,
        .initial = vm_initial,
        .append = vm_append,
        .labels = vm_labels,
        .close = vm_close,
        .model = m };
    if (om_vm__compile(vm, aps, ap_count) != OM_OK) {
        vm_close(&vm->executor);
        return OM_ENOMEM;
    }
    *out = &vm->executor;
    return OM_OK;
}
