/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ast.h: what the Promela parser makes of a file.
 *
 * Everything hangs off one region that dies with the model: expression() needs the names for as
 * long as the model is there. Lists are singly linked, in the order of the source. Names of
 * variables are resolved while parsing, since Promela has them declared before they are used;
 * labels, and what is run, once all is read.
 */
#ifndef PROMELA_AST_H
#define PROMELA_AST_H

#include <omen/plugin/model.h>
#include <omen/plugin/region.h>

#include "index.h"

typedef enum pml_type {
    PML_BIT,
    PML_BOOL,
    PML_BYTE,
    PML_SHORT,
    PML_INT,
    PML_UNSIGNED, /* of `bits` bits */
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
    uint32_t bits;   /* of PML_UNSIGNED */
    const char *set; /* of PML_MTYPE; NULL: the one without a name */
    uint32_t length; /* 0: a scalar */
    uint32_t depth;  /* of the block that it belongs to */
    bool is_global, is_parameter, is_hidden;
    bool forgotten; /* it is hidden, and nothing reads it: it has no slot, and nothing is stored */
    uint32_t reads; /* how often the text reads it, at the most */
    bool listed;    /* of an array: `initial` is the first of a list, one for each element */
    bool assigned;  /* a chan: something other than its initialiser may be stored */
    pml_struct *structure;
    pml_chan_init *channel;
    pml_expr *initial;
    const pml_expr *written; /* its initial value, also where a step stores that */
    pml_proctype *owner;     /* of a local variable */
    pml_variable *next;      /* in its list */
    pml_variable *hidden_by; /* the scope's list while parsing */
    uint32_t index;          /* among the variables of its owner, or the global ones */
    uint32_t visible_at;     /* in the file's list of visible ones, from 1 on (scope.c) */
};

typedef enum pml_kind {
    PML_NUMBER,   /* value; a constant, an mtype */
    PML_VARIABLE, /* variable [a] {. field [a]} */
    PML_UNARY,    /* op, a */
    PML_BINARY,   /* op, a, b */
    PML_COND,     /* (a -> b : c) */
    PML_RUN,      /* run proctype (args) */
    PML_LEN,      /* len(a) and its like: `word` says which */
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
    PML_SLOT,            /* a name of traces: the slot `word`, [a] */
    PML_TEMPORAL         /* in ltl blocks: `word` says which, a, b */
} pml_kind;

/* The words of PML_LEN. */
enum { PML_OF_LEN, PML_OF_EMPTY, PML_OF_FULL, PML_OF_NEMPTY, PML_OF_NFULL };

struct pml_expr {
    pml_kind kind;
    om_op op;
    om_value value;
    unsigned
        word; /* of PML_LEN; 1: sorted or random of PML_POLL; om_ltl_op of PML_TEMPORAL; a slot */
    om_place at;
    const char *name, *label;
    pml_variable *variable;
    pml_expr *field; /* of a structure: a PML_VARIABLE whose variable is the field */
    pml_expr *a, *b, *c;
    pml_expr *args;
    uint32_t arg_count;
    pml_proctype *process;
    uint32_t site; /* of PML_RUN: its number; `value` is the priority, or 0 */
    pml_expr *next;
    pml_expr *remote;                     /* of PML_REMOTE: the one before it of its proctype */
    uint32_t depth;                       /* height of the tree */
    const struct pml_token *first, *last; /* its words, for messages and traces; last: behind */
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
    PML_S_PRIORITY /* set_priority(a, args); a is NULL: its own */
} pml_statement_kind;

/* A pair of braces: names of labels are looked up from the innermost one outwards. */
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
    pml_expr *run; /* the `run` in what it computes, or NULL */
    uint32_t arg_count;
    bool sorted; /* !! or ?? */
    bool keep;   /* ?<...> */
    bool
        before_loop; /* the first value of a `for` or `select`: labels are the loop's, as in SPIN */
    const char *name; /* the label of a goto, which stands in `block` */
    const pml_block *block;
    pml_option *options;
    pml_statement *body, *escape;
    pml_statement *next;
    uint32_t element;                     /* its number in SPIN (elements.c); */
    uint32_t jump;                        /* of a jump with a `skip` before it: its own one */
    const struct pml_token *first, *last; /* its words, for traces */
};

/* `xr` or `xs` and a channel. */
typedef struct pml_exclusive pml_exclusive;
struct pml_exclusive {
    bool sends; /* xs */
    pml_expr *channel;
    pml_exclusive *next;
};

struct pml_proctype {
    const char *name;
    om_place at;
    uint32_t active;   /* how many are there at the beginning */
    uint32_t priority; /* of those; 0: none is given */
    bool is_init, is_claim, is_trace, defined;
    bool negated;            /* of a trace: `notrace` */
    pml_variable *variables; /* parameters first */
    uint32_t variable_count, parameter_count;
    pml_statement *body;
    bool labelled;     /* its labels are in the file's table */
    pml_expr *remotes; /* all PML_REMOTE that name it, linked by `remote` */
    pml_expr *provided;
    pml_exclusive *exclusive;
    om_place end_at;
    uint32_t first_element, end_element; /* SPIN's numbers of the first one, the end (elements.c) */
    uint32_t unit;                       /* and of itself */
    pml_proctype *next;
    pml_proctype *next_claim;
    struct pml_graph *graph;
    uint32_t number; /* in the order of the source */
    uint32_t copies; /* how many instances there may be, set by lowering */
};

typedef struct pml_formula pml_formula;
struct pml_formula {
    const char *name;
    bool unnamed; /* numbered, among those without a name */
    om_place at;
    const struct pml_token *body; /* its '{': it is read when all else has been */
    pml_expr *e;
    pml_formula *next;
};

typedef struct pml_mtype pml_mtype;
struct pml_mtype {
    const char *name, *set; /* set NULL: the one without a name */
    om_value value;
    pml_mtype *next;
};

/* Is it the constant 0, the only index that a scalar has? */
bool pml_is_zero(const pml_expr *e);

/* The slots of a variable: one for each field that is no structure itself. */
uint32_t pml_leaf_count(const pml_variable *v);

struct pml_token;
struct pml_lowering;

/* What names of variables mean at present, and those variables, the innermost last (scope.c). */
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
    pml_index macros; /* those that were there at the end of the text */
    pml_variable *variables;
    pml_visible visible;
    uint32_t variable_count;
    pml_struct *structs;
    pml_mtype *mtypes;
    pml_proctype *proctypes, *trace;
    pml_proctype *last_proctype;
    pml_index proctype_names; /* of `proctypes` */
    pml_index labels;         /* by name within a proctype, of those that are `labelled` */
    bool out_of_memory;       /* for that table */
    pml_proctype *claim;      /* the first one */
    uint32_t proctype_count;
    pml_formula *formulas;
    uint32_t sites;                /* `run`s */
    bool priorities, last, places; /* the text speaks of priorities, of _last, of pc_value */
    bool exclusive;                /* some process has a channel to itself */
    uint32_t elements, units;      /* that have a number (elements.c) */
    struct pml_lowering *lowering; /* kept for expression() */
} pml_file;

/* Limits, so that no input can exhaust the stack or the memory by its shape. */
enum {
    PML_MAX_NESTING = 200,
    PML_MAX_DEPTH = 1000,
    PML_MAX_TOKENS = 1 << 21,
    PML_MAX_ARRAY = 65536,
    PML_MAX_CAPACITY = 255,
    PML_MAX_PROCESSES = 255,
    PML_MAX_INCLUDES = 32,
    PML_MAX_TRANSITIONS = 1 << 18
};

#define PML_FAIL(f, place, ...) om_fail((f)->ctx, OM_EINPUT, &(place), __VA_ARGS__)
/* What is Promela, but not read. */
#define PML_REFUSE(f, place, ...) om_fail((f)->ctx, OM_EUNSUPPORTED, &(place), __VA_ARGS__)

#endif
