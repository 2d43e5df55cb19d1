/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dve.h: random small models in DVE: made as trees, printed as text for the front end, and run by
 * an interpreter that shares nothing with the library (what the language means is written from the
 * front end's README, not from its code).
 */
#ifndef OMEN_DIFFERENTIAL_DVE_H
#define OMEN_DIFFERENTIAL_DVE_H

#include <omen/plugin/base.h>

enum {
    PROCESSES = 4,
    LOCATIONS = 4,
    VARIABLES = 9,
    ELEMENTS = 4, /* of an array */
    CHANNELS = 3,
    ITEMS = 2, /* of a message */
    CAPACITY = 2,
    MOVES = 7,
    EFFECTS = 3,
    ASSERTIONS = 2,
    WIDTH = PROCESSES + VARIABLES * ELEMENTS + CHANNELS * (1 + ITEMS * CAPACITY),
    NODES = 4096
};

typedef enum operation {
    O_NEG,
    O_COMPL,
    O_NOT,
    O_MUL,
    O_DIV,
    O_MOD,
    O_ADD,
    O_SUB,
    O_SHL,
    O_SHR,
    O_LT,
    O_LE,
    O_GE,
    O_GT,
    O_EQ,
    O_NE,
    O_BAND,
    O_BOR,
    O_BXOR,
    O_AND,
    O_OR,
    O_IMPLY
} operation;

typedef enum shape { X_NUMBER, X_PLACE, X_AT, X_UNARY, X_BINARY } shape;

typedef struct expr expr;
struct expr {
    shape kind;
    operation op;
    int32_t value;
    int variable;       /* X_PLACE; a: the index, or NULL */
    int process, place; /* X_AT */
    const expr *a, *b;
    unsigned spelling; /* chance, for the printer */
};

typedef struct variable {
    char name[16];
    int owner; /* process, or -1 */
    bool is_int, is_const;
    int length; /* 0: a scalar */
    int32_t initial[ELEMENTS];
    int at; /* in the state */
} variable;

typedef struct channel {
    bool typed, is_int[ITEMS];
    int width, capacity; /* values in a message; 0: unbuffered */
    int at;              /* count, then the messages, oldest first */
} channel;

typedef enum meeting { NO_SYNC, SEND, RECEIVE } meeting;

typedef struct move {
    int from, to;
    const expr *guard; /* or NULL */
    meeting sync;
    int channel;
    const expr *values[ITEMS];
    int effects;
    const expr *target[EFFECTS], *value[EFFECTS];
} move;

typedef struct process {
    int locations, initial, moves;
    bool commit[LOCATIONS];
    move move[MOVES];
    int assertions;
    int assert_at[ASSERTIONS];
    const expr *assert_that[ASSERTIONS];
} process;

typedef struct dve {
    bool synchronous, faulty; /* faulty: indices, divisions and assertions may go wrong */
    bool strict;              /* a value that does not fit is an error, too */
    int processes, variables, channels, width;
    process process[PROCESSES];
    variable variable[VARIABLES];
    channel channel[CHANNELS];
    expr nodes[NODES];
    int node_count;
} dve;

/* ---- generate.c ---- */

void dve_generate(dve *d, om_random *r, bool faulty);
/* A condition for a property: it cannot go wrong in any state. */
const expr *dve_proposition(dve *d, om_random *r);

/* ---- text.c ---- */

void dve_print(const dve *d, om_text *out);
/* As seen from a process (-1: from outside). */
void dve_print_expr(const dve *d, const expr *e, int who, om_text *out);

/* ---- interpret.c ---- */

typedef struct valuation {
    int32_t v[WIDTH];
} valuation;

/* All reachable states, breadth first: 0 is the initial one. */
typedef struct graph {
    uint32_t n, room;
    valuation *states;
    uint32_t *level; /* distance from the initial state */
    bool *fault;     /* going on from here, or being here, is an error of the model */
    uint32_t *over;  /* how often a value does not fit on the ways from here; 0 for a fault */
    uint32_t *to, *first;
    unsigned *who; /* by arc: bit p: process p moves along it */
    size_t arcs, arc_room;
    uint32_t *index; /* hash table of states, plus 1 */
    uint32_t deadlocks, levels, faults;
    uint64_t overs; /* all of them */
} graph;

/* False, with nothing to free, where there are more than `most` states. */
bool graph_explore(graph *g, const dve *d, uint32_t most);
void graph_free(graph *g);
uint32_t graph_find(const graph *g, const dve *d, const valuation *s); /* OM_NONE: not there */
bool graph_has_arc(const graph *g, uint32_t from, uint32_t to);
/* The value of an expression that cannot go wrong. */
int32_t dve_value(const dve *d, const valuation *s, const expr *e);

#endif
