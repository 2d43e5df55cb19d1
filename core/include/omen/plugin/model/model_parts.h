/* SPDX-License-Identifier: Apache-2.0 */
/* model_parts.h: the parts of a model, and functions that read them. */
#ifndef OMEN_MODEL_PARTS_H
#define OMEN_MODEL_PARTS_H

#include <omen/plugin/automaton.h>
#include <omen/plugin/base.h>
#include <omen/plugin/control.h>

#include <inttypes.h>

typedef struct om_model om_model;

/*
 * An integer of a model: the type of the values of expressions and slots, in bytecode and in
 * generated code. Changing this block is enough for wider integers; slots of more than 32 bits also
 * need a change of om_type and of the layout.
 */
typedef int32_t om_value;
typedef uint32_t om_uvalue; /* the same bits, for arithmetic that wraps */
typedef int64_t om_wide;    /* can hold the sum and the product of any two values */
#define OM_VALUE_BITS 32
#define OM_VALUE_MIN INT32_MIN
#define OM_VALUE_MAX INT32_MAX
#define OM_VALUE_FORMAT PRId32 /* for printf() */
#define OM_UVALUE_FORMAT PRIu32

/* An expression in the model's arena; 0 means "none" (a guard that is always true, no index). */
typedef uint32_t om_expr;

typedef enum om_op {
    OM_OP_CONST,   /* value */
    OM_OP_SLOT,    /* a: a scalar slot */
    OM_OP_ELEMENT, /* a: an array slot; b: index expression */
    OM_OP_NEG,
    OM_OP_NOT,   /* logical */
    OM_OP_COMPL, /* bitwise */
    OM_OP_ADD,
    OM_OP_SUB,
    OM_OP_MUL,
    OM_OP_DIV,
    OM_OP_MOD,
    OM_OP_BAND,
    OM_OP_BOR,
    OM_OP_BXOR,
    OM_OP_SHL,
    OM_OP_SHR,
    OM_OP_LT,
    OM_OP_LE,
    OM_OP_EQ,
    OM_OP_NE,
    OM_OP_GE,
    OM_OP_GT,
    OM_OP_AND,
    OM_OP_OR,
    OM_OP_IMPLY,
    OM_OP_COUNT
} om_op;

/* Unary operators use a; binary operators use a and b. */
typedef struct om_node {
    uint32_t op; /* om_op */
    uint32_t a, b;
    om_value value;
} om_node;

typedef enum om_type { OM_BOOL, OM_U8, OM_I8, OM_U16, OM_I16, OM_I32, OM_ENUM } om_type;

/*
 * A slot. To declare one, set name, type, length, process, initial and enumerators;
 * om_model_add_slot() sets low and high, and om_model_finish() sets bits and position. Element i is
 * at bit position + i * bits of the vector (word = bit / 32, bit 0 is the lowest bit of word 0); no
 * element crosses a word boundary.
 */
typedef struct om_slot {
    const char *name; /* full name, as printed in traces: "P_0.my_place" */
    om_type type;
    uint32_t length;         /* 0: a scalar; n: an array of n elements */
    uint32_t process;        /* owner, or OM_NONE */
    const om_value *initial; /* max(length, 1) values */
    uint32_t enumerators;    /* OM_ENUM: the values are 0 .. enumerators - 1 */
    /* Names of the values 0 .. enumerators - 1, for a slot of any type; NULL: no value has a name.
     * An entry may be NULL: that value has no name. Types other than OM_ENUM may also hold other
     * values. */
    const char *const *enumerator_names;
    om_place place; /* of its declaration, for messages; file may be NULL */
    uint32_t bits, position;
    om_value low, high; /* range of the declared type */
} om_slot;

typedef struct om_process {
    const char *name;
    uint32_t location; /* the OM_ENUM slot that holds its location, or OM_NONE */
} om_process;

/* slot[index] := value; index is 0 for a scalar. With value 0 (none), the element is taken out of
 * the array: each later one moves one place forward, and the last one becomes 0 (a message is
 * received, for example). */
typedef struct om_assign {
    uint32_t slot;
    om_expr index, value;
} om_assign;

/* Source position of an assignment, in the file of its transition; line 0: none, because the front
 * end generated the assignment. */
typedef struct om_written {
    uint32_t line, column;
} om_written;

/* Assignments run in order; each sees the effects of those before it. */
typedef struct om_transition {
    uint32_t process; /* the process that moves, or OM_NONE */
    uint32_t partner; /* the other process of a synchronous pair, or OM_NONE */
    om_expr guard;    /* 0: always enabled */
    const om_assign *assigns;
    uint32_t assign_count;
    const om_written *written; /* one per assignment; NULL: no positions */
    const char *label;         /* for the trace: "P_0: NCS -> p1" */
    om_place place;
} om_transition;

/* A condition that must hold in every reachable state; a state in which it is false is a fault. */
typedef struct om_assertion {
    om_expr condition;
    const char *text;
    om_place place;
} om_assertion;

/* A property that the model contains: an automaton of *forbidden* runs whose AP i is aps[i], or, if
 * the automaton is NULL, a formula that all runs must satisfy. */
typedef struct om_property {
    const char *name;
    const om_automaton *automaton;
    const om_expr *aps;
    /* LTL in the syntax of om_ltl_parse(), with APs that the front end reads; or NULL. */
    const char *formula;
} om_property;

/* ---- inspection ---- (pointers live as long as the model; expression nodes move when a node is
 * added)
 */

OM_API uint32_t om_model_words(const om_model *m); /* 32-bit words of a state vector, at least 1 */
OM_API const uint32_t *om_model_initial(const om_model *m);
OM_API uint32_t om_model_slot_count(const om_model *m);
OM_API const om_slot *om_model_slot(const om_model *m, uint32_t i);
/* Returns the number of slots that traces show: all but families (om_model_join_slots()), which
 * come last. */
OM_API uint32_t om_model_shown_slots(const om_model *m);
OM_API uint32_t om_model_process_count(const om_model *m);
OM_API const om_process *om_model_process(const om_model *m, uint32_t i);
OM_API uint32_t om_model_transition_count(const om_model *m);
OM_API const om_transition *om_model_transition(const om_model *m, uint32_t i);
OM_API uint32_t om_model_assertion_count(const om_model *m);
OM_API const om_assertion *om_model_assertion(const om_model *m, uint32_t i);
OM_API uint32_t om_model_property_count(const om_model *m);
OM_API const om_property *om_model_property(const om_model *m, uint32_t i);
/* Returns true if property i is checked only if it is requested: see om_model_set_by_name(). */
OM_API bool om_model_is_by_name(const om_model *m, uint32_t i);
OM_API const om_node *om_model_node(const om_model *m, om_expr e);

/* Returns the slot with this full name, or OM_NONE. */
OM_API uint32_t om_model_find_slot(const om_model *m, const char *name);

/* Read and write one element of a packed vector (element 0 of a scalar); no bounds check. */
OM_API om_value om_slot_get(const om_slot *slot, const uint32_t *vector, uint32_t element);
OM_API void om_slot_set(const om_slot *slot, uint32_t *vector, uint32_t element, om_value value);

/* Returns the low bits of a value, as a slot with the declared range low .. high (0 .. 2^n - 1, or
 * -2^n .. 2^n - 1) stores it. */
OM_API om_value om_value_stored(om_value low, om_value high, om_value value);

#endif
