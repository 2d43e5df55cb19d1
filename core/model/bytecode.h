/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytecode.h: the inside of the vm.
 *
 * A program is a flat array of instructions for a stack machine that keeps its top in a register.
 * Evaluation never goes backwards, so it ends. Where a slot lies is in the instruction; frequent
 * pairs (a comparison with a constant, an operator whose right side is a constant or a slot) are
 * one instruction.
 *
 * Transitions are found by what their guards begin with. A segment is a run of transitions, as long
 * as it can be, whose guards all begin with `slot == constant` for the same slot; for each value of
 * it there is a list of moves. Segments and the moves in a list are in the order of the model, so
 * going through both gives successors in ascending order.
 */
#ifndef OMEN_CORE_MODEL_BYTECODE_H
#define OMEN_CORE_MODEL_BYTECODE_H

#include "vm.h"

enum {
    OM_VM_CONST,   /* push value */
    OM_VM_LOAD,    /* push the field (word arg, shift, mask, sign in value) */
    OM_VM_ELEMENT, /* pop an index, check it, push that element */
    OM_VM_EQ_AT,   /* push whether (word arg & mask) == value */
    OM_VM_NE_AT,   /* push whether not */
    OM_VM_CHECK,   /* fault when the top is not below limit */
    OM_VM_SET,     /* word arg := (word arg & mask) | value */
    OM_VM_FIT,     /* the top is no overflow at site arg when it is at most limit above value */
    OM_VM_STORE,   /* pop a value into the field (word arg, shift, mask) */
    OM_VM_STORE_ELEMENT, /* pop a value, pop a checked index, store */
    OM_VM_UNLESS,        /* pop; when it is 0, push value and go to arg */
    OM_VM_WHEN,          /* pop; when it is not 0, push value and go to arg */
    OM_VM_TRUTH,         /* pop, push 1 when it is not 0, else 0 */
    OM_VM_NEED,          /* pop; when it is 0, the program ends with 0 */
    OM_VM_NEED_AT,       /* unless (word arg & mask) == value, the program ends with 0 */
    OM_VM_NEG,
    OM_VM_NOT,
    OM_VM_COMPL,
    OM_VM_END,   /* of an expression (the result is the top) or of an effect */
    OM_VM_BINARY /* from here on: OM_VM_OF(operator, form) */
};

/* Binary operators from OM_OP_ADD to OM_OP_GT, by where the right side is. */
enum { OM_VM_STACKED, OM_VM_WITH_CONST, OM_VM_WITH_SLOT, OM_VM_FORMS };
#define OM_VM_OF(op, form) (OM_VM_BINARY + ((op) -OM_OP_ADD) * OM_VM_FORMS + (form))

typedef struct om_instr {
    uint8_t op;
    uint8_t shift;  /* of a field in its word; of an array: log2 of its element's bits */
    uint32_t arg;   /* a word, an instruction, or the bit position of an array */
    uint32_t mask;  /* of a field, before it is shifted into place */
    om_value value; /* a constant, or the sign bit of a signed field (0 of an unsigned one) */
    uint32_t limit; /* elements of an array; or a distance */
} om_instr;

/* The number that a field holds: its bits, which `sign` is the highest of, or 0 if it has none. */
static inline om_value om_vm__field_value(uint32_t raw, uint32_t sign)
{
    return (int32_t) ((raw ^ sign) - sign);
}

/* A transition in the list of a location. What comes first rules it out without running anything.
 */
typedef struct om_vm_move {
    uint32_t word, mask, value; /* needs (word & mask) == value */
    uint32_t shared;            /* needs this shared condition, or OM_NONE */
    uint32_t guard, effect;     /* programs; guard: what is left of it, or OM_NONE */
    uint32_t transition;
} om_vm_move;

/* moves[starts[first + v]] up to moves[starts[first + v + 1]] are for value v of the field. */
typedef struct om_vm_segment {
    uint32_t word, mask; /* mask 0: no field, and count is 1 */
    uint32_t count;      /* values that have lists */
    uint32_t first;
    uint8_t shift;
} om_vm_segment;

enum { OM_VM_SHARED = 64 }; /* conditions at most that are evaluated once for all transitions */

/* Everything that the executor needs, compiled. Programs are given by their first instruction. */
typedef struct om_vm {
    om_executor executor;
    const om_heap *heap;
    const om_model *model;
    om_instr *code;
    size_t count, capacity;
    om_vm_segment *segments;
    size_t segment_count, segment_capacity;
    uint32_t *starts;
    size_t start_count, start_capacity;
    om_vm_move *moves; /* one for each transition */
    uint32_t shared[OM_VM_SHARED];
    uint32_t shared_count;
    uint32_t assertion_count;
    uint32_t *assertions, *labels; /* programs */
    uint32_t *asserted;            /* the number of each assertion that is checked */
    bool failed;                   /* memory was out while compiling */
} om_vm;

/* Fills the tables of a vm whose model is set. OM_OK or OM_ENOMEM. */
int om_vm__compile(om_vm *vm, const om_expr *aps, uint32_t ap_count);

/* ---- for the table ---- */

/* 0, or what comes of the assertions in that state. */
om_fault om_vm__assertions(const om_vm *vm, const uint32_t *vector);
/* Is the value of a program that cannot fault other than 0? */
bool om_vm__holds(const om_vm *vm, uint32_t pc, const uint32_t *vector);

/* ---- the compiler; the first three are for the table, too ---- */

/* Segments and moves. */
void om_vm__index_moves(om_vm *vm);

/* Each appends and returns where that starts. */
uint32_t om_vm__emit(om_vm *vm, om_instr i);
uint32_t om_vm__value(om_vm *vm, om_expr e); /* a program: the value of e */
uint32_t om_vm__effect(om_vm *vm, uint32_t transition);
void om_vm__expression(om_vm *vm, om_expr e);

/* Is e true exactly when (word arg & mask) == value? Then sets these three. */
bool om_vm__as_test(const om_vm *vm, om_expr e, om_instr *out);

#endif
