/* SPDX-License-Identifier: Apache-2.0 */
#include "vm.h"

/* Appends an instruction and returns its number. */
static uint32_t emit(om_vm *vm, uint32_t op, uint32_t arg, int32_t value)
{
    om_instr *code = om_grow(vm->heap, vm->code, &vm->room, vm->count + 1, sizeof *code);
    if (code == NULL || vm->count >= UINT32_MAX) {
        vm->failed = true;
        return 0;
    }
    vm->code = code;
    code[vm->count] = (om_instr){ op, arg, value };
    return (uint32_t) vm->count++;
}

static void expression(om_vm *vm, om_expr e);

/* Left side; jump over the right side where the left decides; right side. */
static void short_circuit(om_vm *vm, const om_node *n)
{
    expression(vm, n->a);
    uint32_t jump = n->op == OM_OP_OR ? emit(vm, OM_VM_WHEN, 0, 1)
                                      : emit(vm, OM_VM_UNLESS, 0, n->op == OM_OP_IMPLY);
    expression(vm, n->b);
    (void) emit(vm, OM_VM_TRUTH, 0, 0);
    if (!vm->failed)
        vm->code[jump].arg = (uint32_t) vm->count;
}

/* Recursion is bounded by OM_EXPR_HEIGHT. */
static void expression(om_vm *vm, om_expr e)
{
    const om_node *n = om_model_node(vm->model, e);
    switch (n->op) {
    case OM_OP_CONST:
        (void) emit(vm, OM_VM_CONST, 0, n->value);
        break;
    case OM_OP_SLOT:
        (void) emit(vm, OM_VM_LOAD, n->a, 0);
        break;
    case OM_OP_ELEMENT:
        expression(vm, n->b);
        (void) emit(vm, OM_VM_ELEMENT, n->a, 0);
        break;
    case OM_OP_AND:
    case OM_OP_OR:
    case OM_OP_IMPLY:
        short_circuit(vm, n);
        break;
    default:
        expression(vm, n->a);
        if (n->b != 0)
            expression(vm, n->b);
        (void) emit(vm, n->op, 0, 0);
        break;
    }
}

/* A program that leaves the value of e, or 1 for none. */
static uint32_t value_program(om_vm *vm, om_expr e)
{
    uint32_t start = (uint32_t) vm->count;
    if (e == 0)
        (void) emit(vm, OM_VM_CONST, 0, 1);
    else
        expression(vm, e);
    (void) emit(vm, OM_VM_END, 0, 0);
    return start;
}

/* Index, its check, then the value: the order in which faults are reported. */
static uint32_t effect_program(om_vm *vm, const om_transition *t)
{
    uint32_t start = (uint32_t) vm->count;
    for (uint32_t i = 0; i < t->assign_count; i++) {
        const om_assign *a = &t->assigns[i];
        if (a->index != 0) {
            expression(vm, a->index);
            (void) emit(vm, OM_VM_CHECK, a->slot, 0);
        }
        expression(vm, a->value);
        (void) emit(vm, a->index != 0 ? OM_VM_STORE_ELEMENT : OM_VM_STORE, a->slot, 0);
    }
    (void) emit(vm, OM_VM_END, 0, 0);
    return start;
}

/* Guards of front ends begin with the location: most are ruled out by that. */
static om_vm_test first_test(const om_vm *vm, om_expr guard)
{
    const om_node *n = om_model_node(vm->model, guard);
    while (n != NULL && n->op == OM_OP_AND)
        n = om_model_node(vm->model, n->a);
    if (n != NULL && n->op == OM_OP_EQ) {
        const om_node *a = om_model_node(vm->model, n->a), *b = om_model_node(vm->model, n->b);
        if (a->op == OM_OP_SLOT && b->op == OM_OP_CONST)
            return (om_vm_test){ a->a, b->value };
    }
    return (om_vm_test){ OM_NONE, 0 };
}

int om_vm__compile(om_vm *vm, const om_expr *aps, uint32_t ap_count)
{
    uint32_t transitions = om_model_transition_count(vm->model);
    uint32_t assertions = om_model_assertion_count(vm->model);

    vm->guards = om_alloc(vm->heap, transitions, sizeof *vm->guards);
    vm->tests = om_alloc(vm->heap, transitions, sizeof *vm->tests);
    vm->effects = om_alloc(vm->heap, transitions, sizeof *vm->effects);
    vm->assertions = om_alloc(vm->heap, assertions, sizeof *vm->assertions);
    vm->labels = om_alloc(vm->heap, ap_count, sizeof *vm->labels);
    if (vm->guards == NULL || vm->tests == NULL || vm->effects == NULL || vm->assertions == NULL ||
        vm->labels == NULL)
        return OM_ENOMEM;
    for (uint32_t i = 0; i < transitions; i++) {
        const om_transition *t = om_model_transition(vm->model, i);
        vm->tests[i] = first_test(vm, t->guard);
        vm->guards[i] = value_program(vm, t->guard);
        vm->effects[i] = effect_program(vm, t);
    }
    for (uint32_t i = 0; i < assertions; i++)
        vm->assertions[i] = value_program(vm, om_model_assertion(vm->model, i)->condition);
    for (uint32_t i = 0; i < ap_count; i++)
        vm->labels[i] = value_program(vm, aps[i]);
    vm->transition_count = transitions;
    vm->assertion_count = assertions;
    return vm->failed ? OM_ENOMEM : OM_OK;
}
