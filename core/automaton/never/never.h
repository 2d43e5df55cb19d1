/* SPDX-License-Identifier: Apache-2.0 */
/*
 * never.h: internals of the reader of never claims, the automata of Promela (G. Holzmann, The SPIN
 * Model Checker, 2004, ch. 4 and 6).
 */
#ifndef OM_AUTOMATON_NEVER_H
#define OM_AUTOMATON_NEVER_H

#include <omen/plugin/bdd.h>

#include "tela.h"

typedef enum om_never_kind {
    OM_NEVER_EOF,
    OM_NEVER_WORD,
    OM_NEVER_NUMBER,
    OM_NEVER_SIGN, /* one or two characters */
    OM_NEVER_LINE  /* end of a line, inside a #define */
} om_never_kind;

typedef struct om_never_token {
    om_never_kind kind;
    const char *text;
    size_t length;
    uint32_t line, column;
} om_never_token;

/* Kinds of statements; the control flow of a claim is a tree of statements. */
typedef enum om_never_op {
    OM_NEVER_EXPR,   /* a step if `guard` holds */
    OM_NEVER_ASSERT, /* a step; if `guard` does not hold, the run is accepted */
    OM_NEVER_ELSE,   /* a step if no other option can be taken */
    OM_NEVER_ATOMIC, /* one step of the above, a guard before assertions */
    OM_NEVER_IF,     /* options: children that begin sequences */
    OM_NEVER_DO,
    OM_NEVER_BLOCK, /* { ... }: one child */
    OM_NEVER_GOTO,  /* GOTO and BREAK are no steps, as in SPIN */
    OM_NEVER_BREAK
} om_never_op;

typedef struct om_never_node {
    om_never_op op;
    bool accept; /* has a label that begins with "accept" */
    om_bdd guard;
    uint32_t parent;      /* the enclosing IF, DO, BLOCK or ATOMIC, or OM_NONE; has a lower index */
    uint32_t sibling;     /* next statement of its sequence, or OM_NONE */
    uint32_t child;       /* first option or first statement, or OM_NONE */
    uint32_t next_option; /* first statement of an option: that of the next one, or OM_NONE */
    uint32_t succ;        /* next node of the control flow; the number of nodes: the claim's end */
    om_never_token at;    /* GOTO: the label; else the first token */
} om_never_node;

typedef struct om_never_name {
    const char *text; /* borrowed from the input */
    size_t length;
    uint32_t value; /* label: its node; macro: its diagram */
} om_never_name;

typedef struct om_never_names {
    om_never_name *items;
    size_t count, capacity;
} om_never_names;

typedef struct om_never_reader {
    om_context *ctx;
    const om_heap *heap;
    const char *file, *input;
    size_t length, at;
    uint32_t line, column;
    bool in_define;
    om_never_token token; /* the current one */
    size_t end;           /* end of the previous token, in the input */
    om_place place;
    char shown[48];
    uint32_t depth;

    om_bdd_space *bdd;
    om_cube_list cubes;
    char *aps[OM_MAX_APS];
    uint32_t ap_count, ap_lines[OM_MAX_APS], ap_columns[OM_MAX_APS];
    om_never_names macros, labels;
    om_never_node *nodes;
    size_t node_count, node_capacity;
    char *name;
} om_never_reader;

enum { OM_NEVER_DEPTH_MOST = 500 }; /* limit of nested brackets and statements */

/* never_lex.c */
const om_place *om_never__at(om_never_reader *r, const om_never_token *t);
/* Reports "expected WHAT, not TOKEN" at the current token. */
int om_never__expected(om_never_reader *r, const char *what);
/* Moves to the next token. Returns OM_OK; OM_EINPUT with a message; or a stop. */
int om_never__next(om_never_reader *r);
bool om_never__is(const om_never_reader *r, const char *text);
/* Skips the current token if its text is `text`; else reports an error. */
int om_never__expect(om_never_reader *r, const char *text);
/* om_never__find() returns the entry of a name in a table, or NULL; om_never__add() adds one. */
const om_never_name *om_never__find(const om_never_names *names, const om_never_token *t);
int om_never__add(om_never_reader *r, om_never_names *names, const om_never_token *t, uint32_t v);

/* never_expr.c: reads an expression as a function of propositions. */
int om_never__expression(om_never_reader *r, om_bdd *out);
/* Returns the status for a failure of the diagrams. */
int om_never__bdd_failure(om_never_reader *r, const om_never_token *at);

/* Sets *yes to true if the text `name` is an expression that is one proposition of this name. The
 * reader has a context (in which a message may remain), a heap and a space for diagrams; the
 * function overwrites its other members. Returns OM_OK; OM_ENOMEM; a limit or a stop. */
int om_never__is_atom(om_never_reader *r, const char *name, bool *yes);

/* never_graph.c: creates the automaton of the statements, and resolves labels. */
int om_never__automaton(om_never_reader *r, om_automaton **out);

#endif
