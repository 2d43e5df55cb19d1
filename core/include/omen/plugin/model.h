/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h: the guarded-command form that every front end produces, and the executors that run it.
 *
 * A model is built by one thread: slots, processes, transitions, assertions, then
 * om_model_finish(), which checks it and lays the state vector out. After that only expressions may
 * be added (atomic propositions), still by one thread, before the executors are opened; an executor
 * is immutable and any number of threads may call it.
 *
 * Arithmetic is on two's complement integers of OM_VALUE_BITS bits (om_value) and wraps; a value
 * stored into a narrower slot keeps its low bits (sign-extended on reading where the type is
 * signed). Truth is "not zero"; comparisons and logical operators give 0 or 1; AND, OR and IMPLY
 * evaluate their right side only when the left does not decide. Shifts take the low five bits of
 * the right side (those that count OM_VALUE_BITS); SHR is arithmetic. DIV and MOD truncate towards
 * zero; OM_VALUE_MIN / -1 is OM_VALUE_MIN and its MOD 0.
 * A division by zero, an index outside an array or a failed assertion is a fault.
 *
 * An assignment that says where it is written (om_transition.written) overflows when its value is
 * none of the slot's declared type: that is counted, or is a fault (om_model_set_overflow()). What
 * wraps within an expression, at OM_VALUE_BITS bits, is not: the language's own arithmetic has
 * those.
 */
#ifndef OMEN_MODEL_H
#define OMEN_MODEL_H

#include <omen/plugin/automaton.h>
#include <omen/plugin/base.h>
#include <omen/plugin/control.h>

#include <inttypes.h>

typedef struct om_model om_model;

/*
 * An integer of a model: what an expression comes to, what a slot holds, what bytecode and
 * generated code compute with. Wider ones are a change of this block; slots of more than 32 bits
 * would be one of om_type and of the layout as well.
 */
typedef int32_t om_value;
typedef uint32_t om_uvalue; /* its bits, for arithmetic that wraps */
typedef int64_t om_wide;    /* holds the sum and the product of any two values */
#define OM_VALUE_BITS 32
#define OM_VALUE_MIN INT32_MIN
#define OM_VALUE_MAX INT32_MAX
#define OM_VALUE_FORMAT PRId32 /* for printf() */
#define OM_UVALUE_FORMAT PRIu32

/* An expression in the model's arena; 0 stands for "none" (a guard that is always true, no index).
 */
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

/* Unary operators use a; binary ones a and b. */
typedef struct om_node {
    uint32_t op; /* om_op */
    uint32_t a, b;
    om_value value;
} om_node;

typedef enum om_type { OM_BOOL, OM_U8, OM_I8, OM_U16, OM_I16, OM_I32, OM_ENUM } om_type;

/*
 * A slot. To declare one fill name, type, length, process, initial, enumerators;
 * om_model_add_slot() sets low and high, om_model_finish() bits and position: element i lies at bit
 * position + i * bits of the vector (word = bit / 32, bit 0 the lowest of word 0); no element
 * crosses a word.
 */
typedef struct om_slot {
    const char *name; /* full name, as a trace prints it: "P_0.my_place" */
    om_type type;
    uint32_t length;         /* 0: a scalar; n: an array of n */
    uint32_t process;        /* owner, or OM_NONE */
    const om_value *initial; /* max(length, 1) values */
    uint32_t enumerators;    /* OM_ENUM: values are 0 .. enumerators - 1 */
    /* What the values 0 .. enumerators - 1 are called, of a slot of any type; NULL: none has a
     * name; an entry that is NULL: this one has none. Beside OM_ENUM other values may be held. */
    const char *const *enumerator_names;
    om_place place; /* of its declaration, for messages; or without a file */
    uint32_t bits, position;
    om_value low, high; /* what the type as it was declared holds */
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

/* Where an assignment is written, in the file of its transition; line 0: nowhere, it is the front
 * end's own. */
typedef struct om_written {
    uint32_t line, column;
} om_written;

/* Assignments run in order, each seeing the ones before. */
typedef struct om_transition {
    uint32_t process; /* who moves, or OM_NONE */
    uint32_t partner; /* the other process of a synchronous pair, or OM_NONE */
    om_expr guard;    /* 0: always */
    const om_assign *assigns;
    uint32_t assign_count;
    const om_written *written; /* by assignment; NULL: all nowhere */
    const char *label;         /* for the trace: "P_0: NCS -> p1" */
    om_place place;
} om_transition;

/* Holds in every reachable state, or that state is a fault. */
typedef struct om_assertion {
    om_expr condition;
    const char *text;
    om_place place;
} om_assertion;

/* A property that comes with the model: an automaton of *forbidden* runs whose AP i is aps[i]; or,
 * where that is NULL, a formula that all runs are to satisfy. */
typedef struct om_property {
    const char *name;
    const om_automaton *automaton;
    const om_expr *aps;
    const char *formula; /* LTL as om_ltl_parse() has it, whose APs the front end reads; or NULL */
} om_property;

/* ---- building ---- */

/* name, copied, is what reports call the model. The context must outlive it. */
OM_API int om_model_new(om_model **out, om_context *ctx, const char *name);
OM_API void om_model_free(om_model *m);
OM_API om_context *om_model_context(const om_model *m);
OM_API const char *om_model_name(const om_model *m);

/*
 * Expressions. Each returns a node of the arena (equal nodes are shared, constants folded where no
 * fault can come of it), or 0 when memory is out, the expression is too large, or an argument is 0
 * or impossible; that is remembered, and om_model_finish() or om_model_expr_check() reports it.
 */
OM_API om_expr om_expr_const(om_model *m, om_value value);
OM_API om_expr om_expr_slot(om_model *m, uint32_t slot);
OM_API om_expr om_expr_element(om_model *m, uint32_t slot, om_expr index);
OM_API om_expr om_expr_unary(om_model *m, om_op op, om_expr a);
OM_API om_expr om_expr_binary(om_model *m, om_op op, om_expr a, om_expr b);

/* Does the expression (0: none) read the slot, or an element of it? */
OM_API bool om_expr_reads(const om_model *m, om_expr e, uint32_t slot);

/* OM_OK, or what went wrong in any expression made so far; the message names the place (or NULL).
 */
OM_API int om_model_expr_check(om_model *m, const om_place *at);

/* Each copies what it is given, names and arrays included, and sets *out (may be NULL) to its
 * index. */
OM_API int om_model_add_process(om_model *m, const char *name, uint32_t *out);
OM_API int om_model_add_slot(om_model *m, const om_slot *slot, uint32_t *out);
OM_API int om_model_set_location(om_model *m, uint32_t process, uint32_t slot);
OM_API int om_model_add_transition(om_model *m, const om_transition *t, uint32_t *out);
OM_API int om_model_add_assertion(om_model *m, const om_assertion *a);
/* The assertion that was added last ends every run in which it fails: the model's language gives no
 * meaning to what would follow. A check that ignores assertions still heeds this one. OM_EINVAL:
 * there is no assertion. */
OM_API int om_model_set_final(om_model *m);
/* Takes the automaton over in any case; aps has om_automaton_ap_count() entries. */
OM_API int om_model_add_property(
    om_model *m, const char *name, om_automaton *automaton, const om_expr *aps);
/* name and formula are copied. */
OM_API int om_model_add_formula(om_model *m, const char *name, const char *formula);
/* The property that was added last is checked where it is asked for by its name, and never by
 * default. OM_EINVAL: there is none. */
OM_API int om_model_set_by_name(om_model *m);
/* In the model's language a state that nothing leaves is an error (Promela's invalid end states):
 * that there is none is checked beside the model's other properties, and not only if it has no
 * other. */
OM_API void om_model_forbid_deadlock(om_model *m);
/* True in the states that the model's text labels as making progress, where its language has such
 * labels: a search for non-progress cycles then needs no expression from the user. The last one
 * counts; 0 (the default): there are none. */
OM_API int om_model_set_progress(om_model *m, om_expr progress);
/* True in the states that properties are about: others lie within steps that the model's language
 * has as one (atomic sequences), and no formula, automaton or invariant sees them. It holds in the
 * initial state, and again some time after every state; what stays outside for ever is judged by
 * what was seen before. Assertions and deadlocks are looked for everywhere. The last one counts; 0
 * (the default): all are seen. */
OM_API int om_model_set_visible(om_model *m, om_expr visible);
/* Where a language has no bound on what there can be at a time, an option of its front end says for
 * how much the model is built. A transition that goes wrong (OM_FAULT_INDEX) and writes `slot` says
 * that more is needed; read with `larger` for that option, the model has more. `option` is copied.
 */
OM_API int om_model_set_room(om_model *m, uint32_t slot, const char *option, int64_t larger);
/* The option, the model's, and its value with which there is more room; NULL: there is none. */
OM_API const char *om_model_larger(const om_model *m, int64_t *value);

/*
 * What another tool for the model's language calls its steps, so that runs can be exchanged with it
 * (SPIN's trails). A transition is there a row of steps, one behind the other, or none; each has a
 * number of that tool's, and is taken by a process of the model. So is an assertion that fails; and
 * a property has one such step, whose number is that of the property. Numbers of processes are not
 * kept: one that starts, its location is 0 no longer, is numbered by how many run already.
 */
typedef enum om_foreign_kind {
    OM_FOREIGN_TRANSITION,
    OM_FOREIGN_ASSERTION,
    OM_FOREIGN_PROPERTY,
    OM_FOREIGN_KINDS
} om_foreign_kind;
typedef struct om_foreign_step {
    uint32_t process; /* of the model; of a property: OM_NONE */
    uint32_t number;
} om_foreign_step;
/* Gives the transition, assertion or property, which is there already, its row; copied. What has
 * none, in a model in which others have, is no step of that tool's. OM_EINVAL: it is not there. */
OM_API int om_model_set_foreign(om_model *m, om_foreign_kind kind, uint32_t index,
    const om_foreign_step *steps, uint32_t count);

/* What a step prints: shown where a run is, no part of any state. */
typedef enum om_print_how {
    OM_PRINT_TEXT, /* no value */
    OM_PRINT_DECIMAL,
    OM_PRINT_UNSIGNED,
    OM_PRINT_HEXADECIMAL,
    OM_PRINT_OCTAL,
    OM_PRINT_CHARACTER,
    OM_PRINT_NAME /* names[value], where that is one */
} om_print_how;
typedef struct om_print {
    uint32_t after;   /* so many assignments of the transition are done before */
    const char *text; /* what stands before the value, not terminated; */
    size_t length;    /* its bytes */
    om_print_how how;
    om_expr value;
    const char *const *names; /* of OM_PRINT_NAME; they live as long as the model */
    uint32_t name_count;
} om_print;
/* Gives the transition, which is there already, what it prints, in order; copied. OM_EINVAL: it is
 * not there. */
OM_API int om_model_set_prints(
    om_model *m, uint32_t transition, const om_print *prints, uint32_t count);

/*
 * Gives every slot no more bits than its values can come to need, as far as that follows from
 * intervals, and a type without sign where there is none. What runs do stays the same; vectors get
 * shorter. Before om_model_finish(), when all is added; nothing may be added any more.
 */
OM_API int om_model_narrow(om_model *m);

/* Checks indices, types and places, fixes the layout, packs the initial state. Call once. */
OM_API int om_model_finish(om_model *m);

/* ---- inspection ---- (pointers live as long as the model; expression nodes move when one is
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
/* Is property i checked only where it is asked for? See om_model_set_by_name(). */
OM_API bool om_model_is_by_name(const om_model *m, uint32_t i);
OM_API const om_node *om_model_node(const om_model *m, om_expr e);

/* The slot of that full name, or OM_NONE. */
OM_API uint32_t om_model_find_slot(const om_model *m, const char *name);

/* Reads and writes one element of a packed vector (element 0 of a scalar); no bounds check. */
OM_API om_value om_slot_get(const om_slot *slot, const uint32_t *vector, uint32_t element);
OM_API void om_slot_set(const om_slot *slot, uint32_t *vector, uint32_t element, om_value value);

/* What a slot whose declared type holds low .. high (0 .. 2^n - 1, or -2^n .. 2^n - 1) makes of a
 * value: its low bits. */
OM_API om_value om_value_stored(om_value low, om_value high, om_value value);

/* ---- overflows ---- */

/* A value that is none of the declared type of what it was stored into. Strings are the model's. */
typedef struct om_overflow {
    om_place place;
    const char *variable; /* full name, as that of a slot */
    uint32_t element;     /* of an array, else OM_NONE */
    om_value value;       /* that was to be stored */
    om_value stored;      /* what became of it */
    om_value low, high;   /* what the type holds */
    uint32_t transition;  /* OM_NONE: an initial value */
} om_overflow;

typedef enum om_overflow_mode { OM_OVERFLOW_WRAP, OM_OVERFLOW_ERROR } om_overflow_mode;

/* While the model is built: an initial value overflowed, and `stored` is what the slot (or a
 * constant that needs none) starts with. */
OM_API int om_model_add_overflow(om_model *m, const om_overflow *o);
/*
 * What an assignment does that overflows: it stores the low bits and is counted (the default), or
 * it is a fault. Of a finished model, while no executor is open. OM_EMODEL with the place where it
 * is to be a fault and an initial value overflowed.
 */
OM_API int om_model_set_overflow(om_model *m, om_overflow_mode mode);
/* Assignments that may overflow, as far as intervals tell: the others are not checked. */
OM_API uint32_t om_model_overflow_sites(const om_model *m);
/* How many initial values overflowed; *first (may be NULL) is set where that is not 0. */
OM_API uint32_t om_model_initial_overflows(const om_model *m, om_overflow *first);
/* The first overflow on the way from a state (model words) to its successors. OM_OK; OM_EINVAL,
 * with no message recorded, where there is none; OM_ENOMEM. */
OM_API int om_model_find_overflow(const om_model *m, const uint32_t *vector, om_overflow *out);
/* "256 does not fit P.x (0 .. 255)" */
OM_API void om_overflow_describe(const om_overflow *o, om_text *out);

/* What a finished model was made into. The runs of one form need not be runs of another. */
typedef struct om_model_form {
    bool reset_dead; /* there are resets of dead variables */
    om_overflow_mode overflow;
    bool ignore_assertions; /* runs go on when an assertion fails that is not final */
} om_model_form;

/* ---- faults ---- */

/* 0: none. Else a kind in the low 3 bits and a subject above them. */
typedef uint32_t om_fault;
enum {
    OM_FAULT_INDEX = 1,        /* subject: the transition whose guard or assignment it was */
    OM_FAULT_DIVISION = 2,     /* subject: likewise */
    OM_FAULT_ASSERTION = 3,    /* subject: the assertion that failed */
    OM_FAULT_IN_ASSERTION = 4, /* subject: the assertion that could not be evaluated */
    OM_FAULT_IN_LABEL = 5,     /* subject: the AP that could not be evaluated */
    OM_FAULT_OVERFLOW = 6,     /* subject: the model's number for the assignment */
    OM_FAULT_ANY = 7 /* in what is asked for alone: any but that an assertion fails; subject 0 */
};
#define OM_FAULT(kind, subject) ((om_fault) ((kind) | ((uint32_t) (subject) << 3)))
#define OM_FAULT_KIND(fault) ((fault) &7u)
#define OM_FAULT_SUBJECT(fault) ((fault) >> 3)

/* Records what the fault means with the place in the model, and returns OM_EMODEL. */
OM_API int om_model_fault(const om_model *m, om_fault fault);
/* The same, and says what can be said of a fault in that state (model words). */
OM_API int om_model_fault_in(const om_model *m, om_fault fault, const uint32_t *vector);

/* ---- executors ---- */

/*
 * The successors of one state, or of several, one behind the other. Zero-initialise with heap set,
 * give back with _free(). Rows are `stride` words apart, the model's om_model_words() words first:
 * who wants words of his own behind them sets stride before the first use.
 */
typedef struct om_successors {
    const om_heap *heap;
    uint32_t *words;      /* count rows of stride words */
    uint32_t *transition; /* count transition numbers, ascending for each state */
    size_t count, capacity;
    uint32_t stride; /* 0: as wide as the first rows that are reserved */
    om_fault fault;  /* not 0: the state, or a successor, is one; count is then meaningless */
    /* Overflows so far, of states that were no fault; whoever reads it may set it to 0. */
    uint64_t overflows;
} om_successors;
OM_API void om_successors_free(om_successors *s);
/* Memory for `rows` rows of at least `words` words (the same words until _free()); OM_OK or
 * OM_ENOMEM. Keeps what is there. */
OM_API int om_successors_reserve(om_successors *s, size_t rows, uint32_t words);

/*
 * Something that computes successors and labels: the bytecode vm, native code, a foreign model, a
 * test's synthetic graph. A table of functions with its object; immutable, so any thread may call.
 */
typedef struct om_executor om_executor;
struct om_executor {
    size_t size;      /* of this struct */
    const char *name; /* "vm", "native", ... */
    uint32_t words;   /* of a state vector */
    uint32_t aps;     /* how many APs labels() gives */
    void *self;
    /* The initial state, into `words` words. */
    void (*initial)(const om_executor *x, uint32_t *vector);
    /* Checks the assertions on `vector`, then adds all its successors behind what `out` holds, and
     * sets out->fault. OM_OK (see the fault) or OM_ENOMEM. `vector` lies outside `out`. */
    int (*append)(const om_executor *x, const uint32_t *vector, om_successors *out);
    /* Bit i of the result is AP i. *fault is 0 or says which AP went wrong. */
    uint64_t (*labels)(const om_executor *x, const uint32_t *vector, om_fault *fault);
    void (*close)(om_executor *x);
    const om_model *model; /* or NULL: where faults are explained */
    /* NULL: name says it. Else who has computed successors so far, a constant: "vm, then native".
     * Any thread. */
    const char *(*who)(const om_executor *x);
};

typedef enum om_exec_kind { OM_EXEC_AUTO, OM_EXEC_NATIVE, OM_EXEC_VM } om_exec_kind;

/*
 * Opens an executor for a finished model with these APs (at most 64). NATIVE waits for a compiler,
 * and is OM_EUNSUPPORTED without one. AUTO never waits: it is native where the cache has the code;
 * else the vm works, or for nets a table of transitions, and native code from the moment on that a
 * compiler in the background has made it (where none can, the first goes on, with a note; of large
 * nets none is made). Threads may not change the model while it is
 * open; close it before the model is freed. Where the model's context is stopped, a compiler is
 * killed with all that it started, and OM_ELIMIT or OM_ESTOP is returned, with no message recorded.
 */
OM_API int om_executor_open(
    om_executor **out, om_model *m, om_exec_kind kind, const om_expr *aps, uint32_t ap_count);
OM_API void om_executor_close(om_executor *x);
/* Replaces what `out` holds by the successors of `vector`; as append() else. */
OM_API int om_executor_successors(const om_executor *x, const uint32_t *vector, om_successors *out);

/* Anything a front end wants to keep with a model, for expression(); drop() is called by
 * om_model_free(), before the plug-in is closed. */
OM_API void om_model_set_private(om_model *m, void *data, void (*drop)(void *data));
OM_API void *om_model_private(const om_model *m);

#endif
