/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm.h: the bytecode of the referee.
 *
 * A program is a flat array of instructions for a stack machine. Operators are named by their
 * om_op; the rest are below. Evaluation never goes backwards, so it ends.
 */
#ifndef OMEN_CORE_MODEL_VM_H
#define OMEN_CORE_MODEL_VM_H

#include "form.h"

enum {
    /* Operators from OM_OP_NEG to OM_OP_GT stand for themselves: pop, compute, push. */
    OM_VM_CONST = OM_OP_COUNT, /* push value */
    OM_VM_LOAD,                /* push slot arg */
    OM_VM_ELEMENT,             /* pop an index, check it, push that element of slot arg */
    OM_VM_CHECK,               /* fault when the top is no index into slot arg */
    OM_VM_STORE,               /* pop a value into slot arg */
    OM_VM_STORE_ELEMENT,       /* pop a value, pop a checked index, store into slot arg */
    OM_VM_UNLESS,              /* pop; when it is 0, push value and go to arg */
    OM_VM_WHEN,                /* pop; when it is not 0, push value and go to arg */
    OM_VM_TRUTH,               /* pop, push 1 when it is not 0, else 0 */
    OM_VM_END                  /* of an expression (the result is popped) or of an effect */
};

typedef struct om_instr {
    uint32_t op, arg;
    int32_t value;
} om_instr;

/* A guard `slot == value && ...` need not be run where slot has another value. */
typedef struct om_vm_test {
    uint32_t slot; /* or OM_NONE */
    int32_t value;
} om_vm_test;

/* Everything that the executor needs, compiled. Programs are given by their first instruction. */
typedef struct om_vm {
    om_executor executor;
    const om_heap *heap;
    const om_model *model;
    om_instr *code;
    size_t count, room;
    uint32_t transition_count, assertion_count;
    om_vm_test *tests; /* of every transition */
    uint32_t *guards, *effects, *assertions, *labels;
    bool failed; /* memory was out while compiling */
} om_vm;

/* Fills the tables of a vm whose model is set. OM_OK or OM_ENOMEM. */
int om_vm__compile(om_vm *vm, const om_expr *aps, uint32_t ap_count);

#endif
