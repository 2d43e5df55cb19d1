/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ast.h: the syntax tree of a DVE file.
 *
 * All nodes live in one region (omen/plugin/region.h) that is freed with the model, because
 * expression() needs the names as long as the model exists. Lists are singly linked, in the order
 * of the source; `index` counts from 0 within a list.
 */
#ifndef DVE_AST_H
#define DVE_AST_H

#include <omen/plugin/region.h>

#include <omen/plugin/model.h>

typedef struct dve_pos {
    uint32_t line, column;
} dve_pos;

typedef enum dve_kind {
    DVE_NUMBER,    /* value */
    DVE_STRING,    /* name: the text between the quotes (a location's name) */
    DVE_REFERENCE, /* [owner . or ->] name [a] */
    DVE_UNARY,     /* op, a */
    DVE_BINARY     /* op, a, b */
} dve_kind;

typedef struct dve_expr dve_expr;
struct dve_expr {
    dve_kind kind;
    om_op op;
    om_value value;
    const char *owner; /* P in P.x and P->x, or NULL */
    const char *name;
    bool arrow;    /* P->x: must be a variable */
    bool enclosed; /* written in parentheses */
    dve_pos pos, name_pos;
    dve_expr *a, *b;
    dve_expr *next; /* next in a list of expressions */
    /* of a reference: the process whose variables are visible, or NULL */
    const struct dve_process *within;
    dve_expr *next_reference; /* in the order of the source */
    size_t begin, end;        /* offsets in the source of the whole expression */
    uint32_t depth;           /* height of the tree, at most DVE_MAX_DEPTH */
};

typedef struct dve_variable dve_variable;
struct dve_variable {
    const char *name;
    dve_pos pos;
    om_type type; /* OM_U8 or OM_I16 */
    bool is_const, is_array, braces;
    uint32_t length;
    dve_expr *initial; /* list of initial values */
    dve_variable *next;
    /* Set by lowering */
    om_value *values;
    uint32_t slot;
};

/* A transition that receives from a channel, and its process. */
typedef struct dve_receiver dve_receiver;
struct dve_receiver {
    const struct dve_process *process;
    const struct dve_transition *transition;
    dve_receiver *next;
};

typedef struct dve_channel dve_channel;
struct dve_channel {
    const char *name;
    dve_pos pos;
    const om_type *types; /* NULL if untyped */
    uint32_t type_count, capacity;
    dve_channel *next;
    /* Set by resolving and lowering */
    uint32_t count_slot, *item_slots;
    bool used; /* true if the width is known */
    uint32_t width;
    dve_pos used_pos;
    dve_receiver *receivers, *last_receiver; /* in the order of the source */
    uint32_t *kept; /* by value: slot that keeps the value while a pair moves, or OM_NONE */
};

typedef struct dve_state dve_state;
struct dve_state {
    const char *name;
    dve_pos pos;
    uint32_t index;
    bool commit, accept;
    dve_state *next;
};

/* A reference to a state by name; `state` is set when the name is resolved. */
typedef struct dve_name dve_name;
struct dve_name {
    const char *name;
    dve_pos pos;
    dve_state *state;
    dve_name *next;
};

typedef struct dve_assertion dve_assertion;
struct dve_assertion {
    dve_name state;
    dve_expr *condition;
    dve_assertion *next;
};

typedef struct dve_effect dve_effect;
struct dve_effect {
    dve_expr *target, *value;
    dve_effect *next;
};

typedef enum dve_sync { DVE_NO_SYNC, DVE_SEND, DVE_RECEIVE } dve_sync;

typedef struct dve_transition dve_transition;
struct dve_transition {
    dve_pos pos;
    dve_name from, to;
    dve_expr *guard; /* or NULL */
    dve_sync sync;
    const char *channel_name;
    dve_pos channel_pos;
    dve_channel *channel;
    dve_expr *values; /* the values sent, or the variables that receive */
    uint32_t value_count;
    dve_effect *effects;
    dve_transition *next;
};

typedef struct dve_process dve_process;
struct dve_process {
    const char *name;
    dve_pos pos;
    dve_variable *variables;
    dve_state *states;
    uint32_t state_count;
    dve_name init, *commits, *accepts;
    dve_assertion *assertions;
    dve_transition *transitions;
    uint32_t transition_count;
    dve_process *next;
    /* Set by lowering; OM_NONE for the property process */
    uint32_t process, location;
    bool is_property;
};

typedef struct dve_symbol dve_symbol;

typedef struct dve_file {
    om_region region;
    om_context *ctx;
    const char *file; /* file name for messages */
    const char *text; /* source text */
    dve_variable *variables;
    dve_channel *channels;
    dve_process *processes;
    uint32_t process_count;
    bool synchronous;
    const char *property_name; /* or NULL */
    dve_pos property_pos;
    dve_process *property;
    dve_expr *references; /* references of the file; a proposition has a list of its own */
    dve_symbol *symbols;  /* in the order of the source */
    /* index into symbols, plus 1; open addressing, `capacity` is a power of two */
    uint32_t *index;
    size_t symbol_count, capacity;
} dve_file;

/* Limits that keep the shape of an input from exhausting the stack or the memory. */
enum {
    DVE_MAX_NESTING = 200,      /* nested parentheses, indices and signs */
    DVE_MAX_DEPTH = 1000,       /* height of an expression tree */
    DVE_LONG_ROW = 64,          /* operators of one kind in a row from which the tree is balanced */
    DVE_MAX_ARRAY = 65536,      /* elements */
    DVE_MAX_CAPACITY = 1024,    /* of a buffered channel, in messages */
    DVE_MAX_TRANSITIONS = 65536 /* limit for `system sync` and for sender/receiver pairs */
};

/* Returns the place of a position of the file, for messages. */
static inline om_place dve_place(const dve_file *f, dve_pos pos)
{
    return (om_place){ f->file, pos.line, pos.column };
}

/* Records a failure at a position of the file and returns OM_EINPUT. */
#define DVE_FAIL(f, position, ...)                                                             \
    om_fail((f)->ctx, OM_EINPUT, &(om_place){ (f)->file, (position).line, (position).column }, \
        __VA_ARGS__)
#define DVE_WARN(f, position, ...)     \
    om_note((f)->ctx, OM_NOTE_WARNING, \
        &(om_place){ (f)->file, (position).line, (position).column }, __VA_ARGS__)

#endif
