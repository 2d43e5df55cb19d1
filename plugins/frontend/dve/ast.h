/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ast.h: what the DVE parser makes of a file.
 *
 * Everything hangs off one region (omen/plugin/region.h) that dies with the model: expression()
 * needs the names for as long as the model is there. Lists are singly linked, in the order of the
 * source; `index` counts from 0 within a list.
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
    const char *owner; /* P of P.x and P->x, or NULL */
    const char *name;
    bool arrow;    /* P->x: only a variable is meant */
    bool enclosed; /* written in parentheses */
    dve_pos pos, name_pos;
    dve_expr *a, *b;
    dve_expr *next;                   /* in a list of expressions */
    const struct dve_process *within; /* of a reference: whose variables it sees, or NULL */
    dve_expr *next_reference;         /* in the order of the source */
    size_t begin, end;                /* the source text of the whole expression */
    uint32_t depth;                   /* height of the tree, bounded by DVE_MAX_DEPTH */
};

typedef struct dve_variable dve_variable;
struct dve_variable {
    const char *name;
    dve_pos pos;
    om_type type; /* OM_U8 or OM_I16 */
    bool is_const, is_array, braces;
    uint32_t length;
    dve_expr *initial; /* list */
    dve_variable *next;
    /* set by lowering */
    om_value *values;
    uint32_t slot;
};

/* A transition that receives from a channel, and the process that it is of. */
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
    const om_type *types; /* NULL: untyped */
    uint32_t type_count, capacity;
    dve_channel *next;
    /* set by lowering */
    uint32_t count_slot, *item_slots;
    bool used; /* width is known */
    uint32_t width;
    dve_pos used_pos;
    dve_receiver *receivers, *last_receiver; /* in the order of the text */
    uint32_t *kept; /* by value: the slot that it is kept in while a pair moves, or OM_NONE */
};

typedef struct dve_state dve_state;
struct dve_state {
    const char *name;
    dve_pos pos;
    uint32_t index;
    bool commit, accept;
    dve_state *next;
};

/* A name that stands for a state, until it is looked up. */
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
    dve_expr *values; /* sent, or the variables that receive */
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
    /* set by lowering; OM_NONE for the property process */
    uint32_t process, location;
    bool is_property;
};

typedef struct dve_symbol dve_symbol;

typedef struct dve_file {
    om_region region;
    om_context *ctx;
    const char *file; /* for messages */
    const char *text; /* the source */
    dve_variable *variables;
    dve_channel *channels;
    dve_process *processes;
    uint32_t process_count;
    bool synchronous;
    const char *property_name; /* or NULL */
    dve_pos property_pos;
    dve_process *property;
    dve_expr *references; /* all that the parser met; those of a proposition are its reader's */
    dve_symbol *symbols;  /* in the order of the source */
    uint32_t *index;      /* over them, plus 1; open addressing, `capacity` is a power of two */
    size_t symbol_count, capacity;
} dve_file;

/* Limits, so that no input can exhaust the stack or the memory by its shape. */
enum {
    DVE_MAX_NESTING = 200,      /* parentheses, indices and signs within each other */
    DVE_MAX_DEPTH = 1000,       /* height of an expression tree */
    DVE_LONG_ROW = 64,          /* of one operator, from where on its tree is made a low one */
    DVE_MAX_ARRAY = 65536,      /* elements */
    DVE_MAX_CAPACITY = 1024,    /* of a buffered channel */
    DVE_MAX_TRANSITIONS = 65536 /* that `system sync` or pairs of senders and receivers may make */
};

/* Where a position is, for messages. */
static inline om_place dve_place(const dve_file *f, dve_pos pos)
{
    return (om_place){ f->file, pos.line, pos.column };
}

/* Records a failure at a position of the file and gives OM_EINPUT. */
#define DVE_FAIL(f, position, ...)                                                             \
    om_fail((f)->ctx, OM_EINPUT, &(om_place){ (f)->file, (position).line, (position).column }, \
        __VA_ARGS__)
#define DVE_WARN(f, position, ...)     \
    om_note((f)->ctx, OM_NOTE_WARNING, \
        &(om_place){ (f)->file, (position).line, (position).column }, __VA_ARGS__)

#endif
