/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h: the guarded-command form that all front ends produce, and the executors that run it.
 *
 * One thread builds a model: slots, processes, transitions and assertions, then om_model_finish(),
 * which checks the model and lays out the state vector. After that only expressions (atomic
 * propositions) may be added, still by one thread, before executors are opened. An executor is
 * immutable, and any number of threads may call it.
 *
 * Arithmetic is on two's complement integers of OM_VALUE_BITS bits (om_value) and wraps. A value
 * stored into a narrower slot keeps its low bits (sign-extended when read if the type is signed).
 * Non-zero is true; comparisons and logical operators yield 0 or 1; AND, OR and IMPLY evaluate
 * their right operand only if the left one does not decide the result. Shifts use the low five bits
 * of the right operand (enough to count OM_VALUE_BITS); SHR is arithmetic. DIV and MOD truncate
 * towards zero; OM_VALUE_MIN / -1 is OM_VALUE_MIN and its MOD 0. A division by zero, an index
 * outside an array and a failed assertion are faults.
 *
 * An assignment with a source position (om_transition.written) overflows if its value does not fit
 * the declared type of the slot. An overflow is counted or is a fault (om_model_set_overflow()).
 * Arithmetic that wraps within an expression, at OM_VALUE_BITS bits, is no overflow: the language
 * itself defines it that way.
 */
#ifndef OMEN_MODEL_H
#define OMEN_MODEL_H

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

/* slot[index] := value; index is 0 for a scalar. */
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

/* ---- building ---- */

/* Creates a model. name, which is copied, identifies the model in reports. The context must outlive
 * the model. */
OM_API int om_model_new(om_model **out, om_context *ctx, const char *name);
OM_API void om_model_free(om_model *m);
OM_API om_context *om_model_context(const om_model *m);
OM_API const char *om_model_name(const om_model *m);

/*
 * Expressions. Each function returns a node of the arena (equal nodes are shared; constants are
 * folded if that cannot hide a fault). Returns 0 if memory runs out, the expression is too large,
 * or an argument is 0 or invalid; the model remembers the error, and om_model_finish() or
 * om_model_expr_check() reports it.
 */
OM_API om_expr om_expr_const(om_model *m, om_value value);
OM_API om_expr om_expr_slot(om_model *m, uint32_t slot);
OM_API om_expr om_expr_element(om_model *m, uint32_t slot, om_expr index);
OM_API om_expr om_expr_unary(om_model *m, om_op op, om_expr a);
OM_API om_expr om_expr_binary(om_model *m, om_op op, om_expr a, om_expr b);

/* Returns true if the expression (0: none) reads the slot or an element of it. */
OM_API bool om_expr_reads(const om_model *m, om_expr e, uint32_t slot);

/* Returns OM_OK, or the first error of the expressions made so far; the message names the place
 * (may be NULL). */
OM_API int om_model_expr_check(om_model *m, const om_place *at);

/* Each copies its arguments, names and arrays included, and sets *out (may be NULL) to the new
 * index. */
OM_API int om_model_add_process(om_model *m, const char *name, uint32_t *out);
OM_API int om_model_add_slot(om_model *m, const om_slot *slot, uint32_t *out);
OM_API int om_model_set_location(om_model *m, uint32_t process, uint32_t slot);
OM_API int om_model_add_transition(om_model *m, const om_transition *t, uint32_t *out);
OM_API int om_model_add_assertion(om_model *m, const om_assertion *a);
/* Makes the assertion that was added last final: it ends every run in which it fails, because the
 * language gives no meaning to a continuation. Checks that ignore assertions still evaluate this
 * one. OM_EINVAL: there is no assertion. */
OM_API int om_model_set_final(om_model *m);
/* Takes ownership of the automaton, even on failure; aps has om_automaton_ap_count() entries. */
OM_API int om_model_add_property(
    om_model *m, const char *name, om_automaton *automaton, const om_expr *aps);
/* name and formula are copied. */
OM_API int om_model_add_formula(om_model *m, const char *name, const char *formula);
/* The property that was added last is checked only if it is requested by name, never by default.
 * OM_EINVAL: there is no property. */
OM_API int om_model_set_by_name(om_model *m);
/* Declares that deadlocks are errors in the model's language (Promela's invalid end states):
 * deadlock freedom is checked together with the model's other properties, and not only if it has
 * none. */
OM_API void om_model_forbid_deadlock(om_model *m);
/* Sets an expression that is true in the states with a progress label, if the language has such
 * labels: a search for non-progress cycles then needs no expression from the user. The last call
 * counts; 0 (the default): no labels. */
OM_API int om_model_set_progress(om_model *m, om_expr progress);
/* Sets an expression that is true in the states that properties see. The other states lie within
 * atomic sequences of the language; no formula, automaton or invariant sees them. The expression is
 * true in the initial state, and after every state it becomes true again at some later time; a run
 * that stays outside for ever is judged by its visible states until then. Assertions and deadlocks
 * are checked in all states. The last call counts; 0 (the default): all states are visible. */
OM_API int om_model_set_visible(om_model *m, om_expr visible);
/* For a language without a bound on the number of objects that exist at a time: a front-end option
 * then gives the number for which the model is built. A transition that writes `slot` and has a
 * fault (OM_FAULT_INDEX) shows that the number is too small; a model read with `larger` for that
 * option has more room. `option` is copied. */
OM_API int om_model_set_room(om_model *m, uint32_t slot, const char *option, int64_t larger);
/* Returns the option set by om_model_set_room(), owned by the model, and in *value the value that
 * gives more room; NULL if there is none. */
OM_API const char *om_model_larger(const om_model *m, int64_t *value);

/*
 * The steps of another tool for the model's language, so that runs can be exchanged with it (SPIN's
 * trails). In that tool, a transition is a sequence of steps, which may be empty; each step has a
 * number of that tool and is taken by a process of the model. A failing assertion is such a
 * sequence, too; a property has one step, whose number is that of the property. Process numbers are
 * not stored: a process gets its number when it starts (its location is no longer 0), namely the
 * number of processes that already run.
 */
typedef enum om_foreign_kind {
    OM_FOREIGN_TRANSITION,
    OM_FOREIGN_ASSERTION,
    OM_FOREIGN_PROPERTY,
    OM_FOREIGN_KINDS
} om_foreign_kind;
typedef struct om_foreign_step {
    uint32_t process; /* of the model; OM_NONE for a property */
    uint32_t number;
} om_foreign_step;
/* Sets the steps of an existing transition, assertion or property; copied. If others of the model
 * have steps, one without steps does not occur in that tool. OM_EINVAL: it does not exist. */
OM_API int om_model_set_foreign(om_model *m, om_foreign_kind kind, uint32_t index,
    const om_foreign_step *steps, uint32_t count);

/* The output of a step: shown with a run, not part of any state. */
typedef enum om_print_how {
    OM_PRINT_TEXT, /* no value */
    OM_PRINT_DECIMAL,
    OM_PRINT_UNSIGNED,
    OM_PRINT_HEXADECIMAL,
    OM_PRINT_OCTAL,
    OM_PRINT_CHARACTER,
    OM_PRINT_NAME /* names[value], if it exists */
} om_print_how;
typedef struct om_print {
    uint32_t after;   /* number of assignments of the transition that run before the output */
    const char *text; /* text before the value, not NUL-terminated */
    size_t length;    /* of the text, in bytes */
    om_print_how how;
    om_expr value;
    const char *const *names; /* for OM_PRINT_NAME; they live as long as the model */
    uint32_t name_count;
} om_print;
/* Sets the output of an existing transition, in order; copied. OM_EINVAL: the transition does not
 * exist. */
OM_API int om_model_set_prints(
    om_model *m, uint32_t transition, const om_print *prints, uint32_t count);

/*
 * Reduces every slot to the bits that its values can need, as far as interval analysis shows, and
 * to an unsigned type if no value is negative. Runs stay the same; vectors become shorter. Call it
 * after the last addition and before om_model_finish(); nothing may be added afterwards.
 */
OM_API int om_model_narrow(om_model *m);

/* Checks indices, types and places, fixes the layout and packs the initial state. Call once. */
OM_API int om_model_finish(om_model *m);

/* ---- inspection ---- (pointers live as long as the model; expression nodes move when a node is
 * added)
 */

OM_API uint32_t om_model_words(const om_model *m); /* 32-bit words of a state vector, at least 1 */
OM_API const uint32_t *om_model_initial(const om_model *m);
OM_API uint32_t om_model_slot_count(const om_model *m);
OM_API const om_slot *om_model_slot(const om_model *m, uint32_t i);
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

/* ---- overflows ---- */

/* A value that does not fit the declared type of its slot. The model owns the strings. */
typedef struct om_overflow {
    om_place place;
    const char *variable; /* full name of the slot */
    uint32_t element;     /* of an array, otherwise OM_NONE */
    om_value value;       /* the value to be stored */
    om_value stored;      /* the value that was stored */
    om_value low, high;   /* range of the declared type */
    uint32_t transition;  /* OM_NONE: an initial value */
} om_overflow;

typedef enum om_overflow_mode { OM_OVERFLOW_WRAP, OM_OVERFLOW_ERROR } om_overflow_mode;

/* Records, while the model is built, that an initial value overflowed; the slot (or a constant that
 * needs no slot) starts with `stored`. */
OM_API int om_model_add_overflow(om_model *m, const om_overflow *o);
/*
 * Sets the effect of an overflowing assignment: it stores the low bits and is counted (the
 * default), or it is a fault. For a finished model without an open executor. OM_EMODEL, with the
 * place, if overflows are to be faults and an initial value overflowed.
 */
OM_API int om_model_set_overflow(om_model *m, om_overflow_mode mode);
/* Returns the number of assignments that may overflow, according to interval analysis; only these
 * are checked. */
OM_API uint32_t om_model_overflow_sites(const om_model *m);
/* Returns the number of initial values that overflowed; sets *first (may be NULL) if it is not
 * 0. */
OM_API uint32_t om_model_initial_overflows(const om_model *m, om_overflow *first);
/* Finds the first overflow on the steps from a state (model words) to its successors. OM_OK;
 * OM_EINVAL, with no message recorded, if there is none; OM_ENOMEM. */
OM_API int om_model_find_overflow(const om_model *m, const uint32_t *vector, om_overflow *out);
/* Appends, for example, "256 does not fit P.x (0 .. 255)". */
OM_API void om_overflow_describe(const om_overflow *o, om_text *out);

/* The transformations applied to a finished model. A run of one form need not be a run of
 * another. */
typedef struct om_model_form {
    bool reset_dead; /* dead variables are reset */
    om_overflow_mode overflow;
    bool ignore_assertions; /* runs continue after a failed assertion that is not final */
} om_model_form;

/* ---- faults ---- */

/* 0: no fault. Otherwise a kind in the low 3 bits and a subject above them. */
typedef uint32_t om_fault;
enum {
    OM_FAULT_INDEX = 1,        /* subject: the transition whose guard or assignment failed */
    OM_FAULT_DIVISION = 2,     /* subject: likewise */
    OM_FAULT_ASSERTION = 3,    /* subject: the assertion that failed */
    OM_FAULT_IN_ASSERTION = 4, /* subject: the assertion that could not be evaluated */
    OM_FAULT_IN_LABEL = 5,     /* subject: the AP that could not be evaluated */
    OM_FAULT_OVERFLOW = 6,     /* subject: the number of the assignment in the model */
    /* Only in requests: any fault except a failed assertion; subject 0. */
    OM_FAULT_ANY = 7
};
#define OM_FAULT(kind, subject) ((om_fault) ((kind) | ((uint32_t) (subject) << 3)))
#define OM_FAULT_KIND(fault) ((fault) &7u)
#define OM_FAULT_SUBJECT(fault) ((fault) >> 3)

/* Records a message that describes the fault with its place in the model, and returns OM_EMODEL. */
OM_API int om_model_fault(const om_model *m, om_fault fault);
/* The same, with the details that the state (model words) provides. */
OM_API int om_model_fault_in(const om_model *m, om_fault fault, const uint32_t *vector);

/* ---- executors ---- */

/*
 * The successors of one or several states, one row after another. Initialise to zero with heap set;
 * free with om_successors_free(). Rows are `stride` words apart and begin with the om_model_words()
 * words of the model; a caller that needs words of its own after them sets stride before the first
 * use.
 */
typedef struct om_successors {
    const om_heap *heap;
    uint32_t *words;      /* count rows of stride words */
    uint32_t *transition; /* count transition numbers, ascending per state */
    size_t count, capacity;
    uint32_t stride; /* 0: the width of the first rows that are reserved */
    /* Not 0: the state, or a successor of it, has a fault; count is then meaningless. */
    om_fault fault;
    /* Overflows so far, in states without a fault; the reader may reset it to 0. */
    uint64_t overflows;
} om_successors;
OM_API void om_successors_free(om_successors *s);
/* Reserves memory for `rows` rows of at least `words` words (the same words until
 * om_successors_free()) and keeps the contents. OM_OK or OM_ENOMEM. */
OM_API int om_successors_reserve(om_successors *s, size_t rows, uint32_t words);

/*
 * An object that computes successors and labels: the bytecode vm, native code, a foreign model, a
 * synthetic graph of a test. A table of functions with its object; immutable, so any thread may
 * call.
 */
typedef struct om_executor om_executor;
struct om_executor {
    size_t size;      /* of this struct */
    const char *name; /* "vm", "native", ... */
    uint32_t words;   /* of a state vector */
    uint32_t aps;     /* number of APs of labels() */
    void *self;
    /* Writes the initial state into `words` words. */
    void (*initial)(const om_executor *x, uint32_t *vector);
    /* Checks the assertions on `vector`, then appends its successors to the rows of `out`, and sets
     * out->fault. OM_OK (check the fault) or OM_ENOMEM. `vector` must not point into `out`. */
    int (*append)(const om_executor *x, const uint32_t *vector, om_successors *out);
    /* Returns the label: bit i is AP i. *fault is 0 or names an AP that could not be evaluated. */
    uint64_t (*labels)(const om_executor *x, const uint32_t *vector, om_fault *fault);
    void (*close)(om_executor *x);
    const om_model *model; /* or NULL; used to explain faults */
    /* NULL: use name. Otherwise returns a constant that names the executors used so far, such as
     * "vm, then native". Any thread. */
    const char *(*who)(const om_executor *x);
};

typedef enum om_exec_kind { OM_EXEC_AUTO, OM_EXEC_NATIVE, OM_EXEC_VM } om_exec_kind;

/*
 * Opens an executor for a finished model with these APs (at most 64). NATIVE waits for a compiler
 * and returns OM_EUNSUPPORTED without one. AUTO never waits: it uses native code if the cache has
 * it. Otherwise it starts with the vm, or for nets with a table of transitions, and switches to
 * native code as soon as a compiler in the background has produced it. (If no compiler is
 * available, the first executor continues, with a note; for large nets no native code is made.) No
 * thread may change the model while the executor is open; close the executor before the model is
 * freed. If the model's context is stopped, a running compiler and its child processes are killed,
 * and OM_ELIMIT or OM_ESTOP is returned, with no message recorded.
 */
OM_API int om_executor_open(
    om_executor **out, om_model *m, om_exec_kind kind, const om_expr *aps, uint32_t ap_count);
OM_API void om_executor_close(om_executor *x);
/* Replaces the contents of `out` by the successors of `vector`; otherwise like append(). */
OM_API int om_executor_successors(const om_executor *x, const uint32_t *vector, om_successors *out);

/* Data that a front end keeps with a model, for its expression(). om_model_free() calls drop(),
 * before the plug-in is closed. */
OM_API void om_model_set_private(om_model *m, void *data, void (*drop)(void *data));
OM_API void *om_model_private(const om_model *m);

#endif
