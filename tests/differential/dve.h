/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dve.h: random small models in DVE, generated as trees, printed as text for the front end, and
 * run by an interpreter that shares nothing with the library. (The semantics follow the front
 * end's README, not its code.)
 */
#ifndef OMEN_DIFFERENTIAL_DVE_H
#define OMEN_DIFFERENTIAL_DVE_H

#include <omen/plugin/base.h>

enum {
    PROCESSES = 4,
    LOCATIONS = 4,
    VARIABLES = 9,
    ELEMENTS = 4, /* maximum length of an array */
    CHANNELS = 3,
    ITEMS = 2, /* maximum number of values in a message */
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
    int variable;       /* X_PLACE; its index is a, or NULL */
    int process, place; /* X_AT */
    const expr *a, *b;
    unsigned spelling; /* random number that selects a spelling when printed */
};

typedef struct variable {
    char name[16];
    int owner; /* process, or -1 */
    bool is_int, is_const;
    int length; /* 0 for a scalar */
    int32_t initial[ELEMENTS];
    int at; /* position in the state */
} variable;

typedef struct channel {
    bool typed, is_int[ITEMS];
    int width, capacity; /* number of values in a message; 0 for an unbuffered channel */
    int at;              /* position of the count, then of the messages, oldest first */
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
    bool synchronous, faulty; /* faulty: indices, divisions and assertions may fault */
    bool strict;              /* values that do not fit are errors, too */
    int processes, variables, channels, width;
    process process[PROCESSES];
    variable variable[VARIABLES];
    channel channel[CHANNELS];
    expr nodes[NODES];
    int node_count;
} dve;

/* ---- generate.c ---- */

void dve_generate(dve *d, om_random *r, bool faulty);
/* Returns a condition for a property; it does not fault in any state. */
const expr *dve_proposition(dve *d, om_random *r);

/* ---- text.c ---- */

void dve_print(const dve *d, om_text *out);
/* Prints the expression as seen from process `who`; -1: from outside. */
void dve_print_expr(const dve *d, const expr *e, int who, om_text *out);

/* ---- interpret.c ---- */

typedef struct valuation {
    int32_t v[WIDTH];
} valuation;

/* All reachable states in breadth-first order; state 0 is the initial one. */
typedef struct graph {
    uint32_t n, room;
    valuation *states;
    uint32_t *level; /* distance from the initial state */
    bool *fault;     /* the state, or a step from it, is an error of the model */
    uint32_t *over;  /* number of overflows on the steps from a state; 0 if it faults */
    uint32_t *to, *first;
    unsigned *who; /* by arc: bit p is set if process p moves */
    size_t arcs, arc_room;
    uint32_t *index; /* hash table of state numbers + 1 */
    uint32_t deadlocks, levels, faults;
    uint64_t overs; /* sum of over */
} graph;

/* Explores the model. Returns false, with nothing to free, if there are more than `most` states. */
bool graph_explore(graph *g, const dve *d, uint32_t most);
void graph_free(graph *g);
uint32_t graph_find(const graph *g, const dve *d, const valuation *s); /* OM_NONE if absent */
bool graph_has_arc(const graph *g, uint32_t from, uint32_t to);
/* Returns the value of an expression that does not fault. */
int32_t dve_value(const dve *d, const valuation *s, const expr *e);

#endif
