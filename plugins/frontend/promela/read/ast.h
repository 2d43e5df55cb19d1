/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ast.h: the syntax tree of a Promela file.
 *
 * All nodes live in one region that is freed with the model, because expression() needs the names
 * as long as the model exists. Lists are singly linked, in the order of the source. Variables are
 * resolved while parsing, because Promela requires their declaration before use; labels and the
 * proctypes of `run`s are resolved after parsing.
 */
#ifndef PROMELA_AST_H
#define PROMELA_AST_H

#include <omen/plugin/model.h>
#include <omen/plugin/region.h>

#include "text/index.h"

typedef enum pml_type {
    PML_BIT,
    PML_BOOL,
    PML_BYTE,
    PML_SHORT,
    PML_INT,
    PML_UNSIGNED, /* with `bits` bits */
    PML_MTYPE,
    PML_CHAN,
    PML_PID,
    PML_STRUCT
} pml_type;

typedef struct pml_variable pml_variable;
typedef struct pml_expr pml_expr;
typedef struct pml_proctype pml_proctype;
typedef struct pml_statement pml_statement;

/* `typedef NAME { fields }` */
typedef struct pml_struct pml_struct;
struct pml_struct {
    const char *name;
    pml_variable *fields;
    pml_struct *next;
};

/* `[capacity] of { types }` */
typedef struct pml_chan_init {
    uint32_t capacity, field_count;
    pml_variable *fields; /* without names */
} pml_chan_init;

struct pml_variable {
    const char *name;
    om_place at;
    pml_type type;
    uint32_t bits;   /* for PML_UNSIGNED */
    const char *set; /* for PML_MTYPE; NULL: the set without a name */
    uint32_t length; /* 0 for a scalar */
    uint32_t depth;  /* nesting depth of its block */
    bool is_global, is_parameter, is_hidden;
    bool forgotten; /* hidden and never read: it has no slot, and no value is stored */
    uint32_t reads; /* upper bound on the number of reads in the text */
    bool wide;      /* numbers of channels and processes may exceed a byte */
    bool listed;    /* for an array: `initial` begins a list with one value per element */
    bool assigned;  /* for a chan: a value other than its initialiser may be stored */
    pml_struct *structure;
    pml_chan_init *channel;
    pml_expr *initial;
    const pml_expr *written; /* initial value, even if a step stores it */
    pml_proctype *owner;     /* for a local variable */
    pml_variable *next;      /* next in its list */
    pml_variable *hidden_by; /* the scope's list while parsing */
    uint32_t index;          /* among the variables of its owner, or the global ones */
    /* position in the file's list of visible variables, from 1 on (scope.c) */
    uint32_t visible_at;
};

typedef enum pml_kind {
    PML_NUMBER,   /* value; a constant, an mtype */
    PML_VARIABLE, /* variable [a] {. field [a]} */
    PML_UNARY,    /* op, a */
    PML_BINARY,   /* op, a, b */
    PML_COND,     /* (a -> b : c) */
    PML_RUN,      /* run proctype (args) */
    PML_LEN,      /* len(a), empty(a) ...: `word` tells them apart */
    PML_POLL,     /* a ? [args], a ?? [args] */
    PML_EVAL,     /* eval(a), in the arguments of a receive */
    PML_IGNORE,   /* _, in the arguments of a receive */
    PML_TIMEOUT,
    PML_ELSE,
    PML_PID_OF,          /* _pid */
    PML_NR_PR,           /* _nr_pr */
    PML_NP,              /* np_ */
    PML_LAST,            /* _last */
    PML_ENABLED,         /* enabled(a) */
    PML_PC,              /* pc_value(a) */
    PML_PRIORITY,        /* _priority, or get_priority(a) */
    PML_REMOTE,          /* name [a] @ label */
    PML_REMOTE_VARIABLE, /* name [a] : variable */
    PML_SLOT,            /* a name as in traces: the slot `word`, [a] */
    PML_TEMPORAL         /* in ltl blocks: the operator `word`, a, b */
} pml_kind;

/* Values of `word` for PML_LEN. */
enum { PML_OF_LEN, PML_OF_EMPTY, PML_OF_FULL, PML_OF_NEMPTY, PML_OF_NFULL };

struct pml_expr {
    pml_kind kind;
    om_op op;
    om_value value;
    /* PML_LEN: see above; PML_POLL: 1 if random; PML_TEMPORAL: om_ltl_op; PML_SLOT: a slot */
    unsigned word;
    om_place at;
    const char *name, *label;
    pml_variable *variable;
    pml_expr *field; /* for a structure: a PML_VARIABLE whose variable is the field */
    pml_expr *a, *b, *c;
    pml_expr *args;
    uint32_t arg_count;
    pml_proctype *process;
    uint32_t site; /* for PML_RUN: its number; `value` is the priority, or 0 */
    pml_expr *next;
    pml_expr *remote; /* for PML_REMOTE: the previous one of its proctype */
    uint32_t depth;   /* height of the tree */
    /* its tokens, for messages and traces; last: one past the end */
    const struct pml_token *first, *last;
};

typedef enum pml_statement_kind {
    PML_S_EXPR,   /* a */
    PML_S_ASSIGN, /* target = a */
    PML_S_SEND,   /* target ! args */
    PML_S_RECEIVE,
    PML_S_IF,
    PML_S_DO,
    PML_S_BLOCK,
    PML_S_ATOMIC,
    PML_S_D_STEP,
    PML_S_UNLESS, /* body unless escape */
    PML_S_GOTO,
    PML_S_BREAK,
    PML_S_ELSE,
    PML_S_PRINT,
    PML_S_ASSERT,  /* a */
    PML_S_PRIORITY /* set_priority(a, args); a is NULL for the process itself */
} pml_statement_kind;

/* A pair of braces. Labels are looked up from the innermost one outwards. */
typedef struct pml_block pml_block;
struct pml_block {
    const pml_block *around; /* NULL: the whole proctype */
};

typedef struct pml_label pml_label;
struct pml_label {
    const char *name;
    om_place at;
    const pml_block *block;
    pml_label *next;
};

/* `:: sequence` */
typedef struct pml_option pml_option;
struct pml_option {
    pml_statement *body;
    pml_option *next;
};

struct pml_statement {
    pml_statement_kind kind;
    om_place at;
    pml_label *labels;
    pml_expr *target, *a, *args;
    pml_expr *run; /* the `run` in its expressions, or NULL */
    uint32_t arg_count;
    bool sorted; /* !! or ?? */
    bool keep;   /* ?<...> */
    /* first assignment of a `for` or `select`: its labels are the loop's, as in SPIN */
    bool before_loop;
    const char *name; /* label of a goto, looked up from `block` */
    const pml_block *block;
    pml_option *options;
    pml_statement *body, *escape;
    pml_statement *next;
    uint32_t element; /* its number in SPIN (elements.c) */
    uint32_t jump;    /* for a jump with a `skip` before it: number of the jump */
    const struct pml_token *first, *last; /* its tokens, for traces */
};

/* `xr` or `xs` and a channel. */
typedef struct pml_exclusive pml_exclusive;
struct pml_exclusive {
    bool sends;      /* xs */
    uint32_t number; /* among all (exclusive.c) */
    pml_expr *channel;
    pml_exclusive *next;
};

struct pml_proctype {
    const char *name;
    om_place at;
    uint32_t active;   /* number of processes at the beginning */
    uint32_t priority; /* of the active processes; 0 if none is given */
    bool is_init, is_claim, is_trace, defined;
    bool negated;            /* for a trace: `notrace` */
    pml_variable *variables; /* parameters first */
    uint32_t variable_count, parameter_count;
    pml_statement *body;
    bool labelled;     /* its labels are in the file's table */
    pml_expr *remotes; /* all PML_REMOTE that name it, linked by `remote` */
    pml_expr *provided;
    pml_exclusive *exclusive;
    om_place end_at;
    /* SPIN's numbers of its first element and its end (elements.c) */
    uint32_t first_element, end_element;
    uint32_t unit; /* SPIN's number of the proctype */
    pml_proctype *next;
    pml_proctype *next_claim;
    struct pml_graph *graph;
    uint32_t number; /* in the order of the source */
    uint32_t copies; /* maximal number of instances, set by lowering */
};

typedef struct pml_formula pml_formula;
struct pml_formula {
    const char *name;
    bool unnamed; /* named by its number among the formulas without a name */
    om_place at;
    const struct pml_token *body; /* its '{'; parsed after the rest of the file */
    pml_expr *e;
    pml_formula *next;
};

typedef struct pml_mtype pml_mtype;
struct pml_mtype {
    const char *name, *set; /* set is NULL for the set without a name */
    om_value value;
    pml_mtype *next;
};

/* Returns true if e is the constant 0, the only index that a scalar has. */
bool pml_is_zero(const pml_expr *e);

/* Returns the number of slots of a variable: one for each field that is not a structure. */
uint32_t pml_leaf_count(const pml_variable *v);

struct pml_token;
struct pml_lowering;

/* The visible variables, by name and as a list, the innermost last (scope.c). */
typedef struct pml_visible {
    pml_index names;
    pml_variable **at;
    size_t count, room;
} pml_visible;

typedef struct pml_file {
    om_region region;
    om_context *ctx;
    const char *file;
    struct pml_token *tokens;
    size_t token_count;
    pml_index macros; /* macros that are defined at the end of the text */
    pml_variable *variables;
    pml_visible visible;
    uint32_t variable_count;
    pml_struct *structs;
    pml_mtype *mtypes;
    pml_proctype *proctypes, *trace;
    pml_proctype *last_proctype;
    pml_index proctype_names; /* of `proctypes` */
    pml_index labels;         /* by name within a proctype, of `labelled` proctypes */
    bool out_of_memory;       /* memory ran out while filling `labels` */
    pml_proctype *claim;      /* the first one */
    uint32_t proctype_count;
    pml_formula *formulas;
    uint32_t most;                 /* limit on processes, and on channels: SPIN's, or more */
    uint32_t sites;                /* number of `run`s */
    bool priorities, last, places; /* the text uses priorities, _last, pc_value */
    bool exclusive;                /* some process claims a channel with `xr` or `xs` */
    uint32_t elements, units;      /* numbers assigned so far (elements.c) */
    struct pml_lowering *lowering; /* kept for expression() */
    const om_model *model;         /* for the names that traces show */
} pml_file;

/* Limits that keep the shape of an input from exhausting the stack or the memory. */
enum {
    PML_MAX_NESTING = 200,
    PML_MAX_DEPTH = 1000,
    PML_MAX_TOKENS = 1 << 21,
    PML_MAX_ARRAY = 65536,
    PML_MAX_CAPACITY = 65535,
    PML_MAX_PROCESSES = 65535,
    PML_SPIN_PROCESSES = 255,
    PML_MAX_INCLUDES = 32,
    PML_MAX_TRANSITIONS = 1 << 18
};

#define PML_FAIL(f, place, ...) om_fail((f)->ctx, OM_EINPUT, &(place), __VA_ARGS__)
/* Records a failure for Promela that is not supported and returns OM_EUNSUPPORTED. */
#define PML_REFUSE(f, place, ...) om_fail((f)->ctx, OM_EUNSUPPORTED, &(place), __VA_ARGS__)

/* ---- facts.c ---- */

/* Sets the range of the variable's values; false: that of all integers. */
bool pml_type_range(const pml_variable *v, om_value *low, om_value *high);
/* Returns the `run` of a statement, or NULL; s may be NULL. */
const pml_expr *pml_run_in(const pml_statement *s);

#endif
