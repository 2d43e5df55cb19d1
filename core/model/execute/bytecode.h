/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytecode.h: internals of the vm.
 *
 * A program is a flat array of instructions for a stack machine that keeps the top of its stack in
 * a register. Evaluation never jumps backwards, so it terminates. The instruction holds the
 * position of a slot. Frequent pairs (a comparison with a constant, an operator whose right operand
 * is a constant or a slot) are fused into one instruction.
 *
 * Transitions are indexed by the first test of their guards. A segment is a maximal run of
 * transitions whose guards all begin with `field == constant` for the same slot or element of an
 * array; it has a list of moves for each value of that field. Segments, and the moves in a list,
 * are in model order, so traversing both yields successors in ascending order. Assertions are
 * indexed in the same way, by what must hold for them to fail: most concern one location of a
 * process. If some moves wait for a condition that says that nothing else can move
 * (analysis/idle.h), a second pair of indexes has the others.
 *
 * Invariants of programs:
 *
 * V1  A jump goes forward, and each program ends with OM_VM_END: a program terminates.
 * V2  A value that is popped was pushed. At its end, an expression leaves one value, an effect
 * none. V3  A field is within one word, and an element is within its array: the index was checked.
 * V4  An index has one move for each transition that may be enabled, or assertion that is checked;
 *     the lists of a segment are its part of moves[].
 */
#ifndef OMEN_CORE_MODEL_BYTECODE_H
#define OMEN_CORE_MODEL_BYTECODE_H

#include "vm.h"

enum {
    OM_VM_CONST,         /* push value */
    OM_VM_LOAD,          /* push the field (word arg, shift, mask, sign in value) */
    OM_VM_ELEMENT,       /* pop an index, check it, push that element */
    OM_VM_EQ_AT,         /* push whether (word arg & mask) == value */
    OM_VM_NE_AT,         /* push whether (word arg & mask) != value */
    OM_VM_CHECK,         /* fault if the top is not below limit */
    OM_VM_SET,           /* word arg := (word arg & mask) | value */
    OM_VM_FIT,           /* overflow at site arg, unless top - value <= limit (unsigned) */
    OM_VM_STORE,         /* pop a value into the field (word arg, shift, mask) */
    OM_VM_STORE_ELEMENT, /* pop a value, pop a checked index, store */
    OM_VM_TAKE_OUT,      /* pop a checked index, take that element out of its row of `value` */
    OM_VM_WRAP,          /* the top := (top + value) modulo limit; the sum is not negative */
    OM_VM_WRAP_AT,       /* push an unsigned field, then the same */
    OM_VM_UNLESS,        /* pop; if it is 0, push value and go to arg */
    OM_VM_WHEN,          /* pop; if it is not 0, push value and go to arg */
    OM_VM_UNLESS_AT,     /* unless (word arg & mask) == value, push shift and go to limit */
    OM_VM_WHEN_AT,       /* if (word arg & mask) == value, push shift and go to limit */
    OM_VM_PASS_UNLESS,   /* the same four, but nothing is pushed */
    OM_VM_PASS_WHEN,
    OM_VM_PASS_UNLESS_AT,
    OM_VM_PASS_WHEN_AT,
    OM_VM_TRUTH,      /* pop, push 1 if it is not 0, else 0 */
    OM_VM_NEED,       /* pop; if it is 0, the program ends with 0 */
    OM_VM_NEED_AT,    /* unless (word arg & mask) == value, the program ends with 0 */
    OM_VM_NEED_IN,    /* pop; unless it is in value .. value + limit, the program ends with 0 */
    OM_VM_NEED_IN_AT, /* the same for an unsigned field, which is not pushed */
    OM_VM_NEG,
    OM_VM_NOT,
    OM_VM_COMPL,
    OM_VM_END,   /* of an expression (the result is the top) or of an effect */
    OM_VM_BINARY /* from here on: OM_VM_OF(operator, form) */
};

/* Forms of the binary operators OM_OP_ADD to OM_OP_GT, by the place of the right operand. */
enum { OM_VM_STACKED, OM_VM_WITH_CONST, OM_VM_WITH_SLOT, OM_VM_FORMS };
#define OM_VM_OF(op, form) (OM_VM_BINARY + ((op) -OM_OP_ADD) * OM_VM_FORMS + (form))

typedef struct om_instr {
    uint8_t op;
    uint8_t shift;  /* of a field in its word; for an array: log2 of the bits of an element */
    uint32_t arg;   /* a word, an instruction, or the bit position of an array */
    uint32_t mask;  /* of a field, before the shift */
    om_value value; /* a constant, or the sign bit of a signed field (0 if unsigned) */
    uint32_t limit; /* number of elements of an array; a distance; a divisor; an instruction */
} om_instr;

/* Returns the value of a field. raw: its bits; sign: the highest bit of a signed field, or 0. */
static inline om_value om_vm__field_value(uint32_t raw, uint32_t sign)
{
    return (int32_t) ((raw ^ sign) - sign);
}

/* A transition or an assertion in a list of a segment. The first members rule it out without
 * running a program. */
typedef struct om_vm_move {
    uint32_t word, mask, value; /* condition: (word & mask) == value */
    uint32_t shared;            /* index of a shared condition that must hold, or OM_NONE */
    /* Programs. guard: what must hold, too, for the transition to be taken or the assertion to
     * fail; or OM_NONE. */
    uint32_t guard, effect;
    uint32_t number; /* of the transition or assertion */
} om_vm_move;

/* moves[starts[first + v]] up to, not including, moves[starts[first + v + 1]] are for value v of
 * the field. */
typedef struct om_vm_segment {
    uint32_t word, mask; /* mask 0: no field, and count is 1 */
    uint32_t count;      /* number of values that have lists */
    uint32_t first;
    uint8_t shift;
} om_vm_segment;

typedef struct om_vm_index {
    om_vm_segment *segments;
    size_t segment_count, segment_capacity;
    uint32_t *starts;
    size_t start_count, start_capacity;
    om_vm_move *moves;
} om_vm_index;

/* The transitions that may be taken, and the assertions that are checked. */
typedef struct om_vm_moves {
    om_vm_index steps, checks;
} om_vm_moves;

enum { OM_VM_SHARED = 64 }; /* maximum number of conditions evaluated once for all transitions */

/* The compiled model. A program is identified by the index of its first instruction. */
typedef struct om_vm {
    om_executor executor;
    const om_heap *heap;
    const om_model *model;
    om_instr *code;
    size_t count, capacity;
    om_vm_moves all;
    om_vm_moves eager; /* those that do not wait (analysis/idle.h) */
    bool *ends_idle;   /* by transition: those that wait need not be tried; NULL: none wait */
    uint32_t shared[OM_VM_SHARED];
    uint32_t shared_count;
    uint32_t *labels; /* programs */
    bool failed;      /* memory ran out while compiling */
} om_vm;

/* Fills the tables of a vm whose model is set. Returns OM_OK or OM_ENOMEM. */
int om_vm__compile(om_vm *vm, const om_expr *aps, uint32_t ap_count);

/* ---- for the table ---- */

/* Evaluates the assertions in a state. Returns the first fault, or 0. */
om_fault om_vm__assertions(const om_vm *vm, const uint32_t *vector);
/* Returns true if the value of a program that cannot fault is not 0. */
bool om_vm__holds(const om_vm *vm, uint32_t pc, const uint32_t *vector);

/* ---- the compiler; the first three are for the table, too ---- */

/* Makes the two indexes. */
void om_vm__index_moves(om_vm *vm);

/* Each of these appends code; the first three return the index of its first instruction. */
uint32_t om_vm__emit(om_vm *vm, om_instr i);
uint32_t om_vm__value(om_vm *vm, om_expr e); /* a program: the value of e */
uint32_t om_vm__effect(om_vm *vm, uint32_t transition);
void om_vm__expression(om_vm *vm, om_expr e);
/* Emits: unless e holds, the program ends with 0. */
void om_vm__need(om_vm *vm, om_expr e);
/* Ends the program that begins at `start`. */
void om_vm__end(om_vm *vm, uint32_t start);

/* Returns true if e holds exactly if an unsigned field has a value of a range, and sets *out to an
 * instruction that needs it (OM_VM_NEED_IN_AT). */
bool om_vm__as_range(const om_vm *vm, om_expr e, om_instr *out);

/* Returns true if e holds exactly if (word arg & mask) == value, and sets these three in *out. */
bool om_vm__as_test(const om_vm *vm, om_expr e, om_instr *out);

#endif
