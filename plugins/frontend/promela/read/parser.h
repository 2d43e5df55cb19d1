/* SPDX-License-Identifier: Apache-2.0 */
/* parser.h: a recursive-descent parser over the tokens; the grammar rule stands above each
 * function. */
#ifndef PROMELA_PARSER_H
#define PROMELA_PARSER_H

#include "text/lexer.h"

typedef struct pml_inline pml_inline;
struct pml_inline {
    pml_token name;
    pml_token *parameters;
    size_t parameter_count;
    const pml_token *body; /* from '{' to '}' */
    size_t count;
    bool active; /* being expanded */
    pml_inline *next;
};

typedef struct pml_parser {
    pml_file *file;
    const pml_token *at;
    const pml_token *first; /* first token of the text */
    pml_variable *scope;    /* visible variables, the innermost first */
    uint32_t depth;         /* nesting depth of blocks */
    const pml_block *block;
    size_t nesting, parentheses;
    pml_proctype *within;
    bool used;     /* the last statement parsed used an inline */
    bool begun;    /* the body has a statement: later declarations are steps */
    bool formula;  /* temporal operators are allowed */
    bool given;    /* a text given by the user, outside the model: names of traces are allowed */
    pml_expr *run; /* the `run` of the current statement, if any so far */
    pml_expr *returned; /* target of `return`, or NULL */
    pml_inline *inlines;
    pml_variable **last_global, **last_local;
    size_t spent; /* tokens expanded from inlines */
    int status;
} pml_parser;

/* Each records a message and returns false or NULL. */
bool pml_no_memory(pml_parser *p);
bool pml_unexpected(pml_parser *p, const char *what);
bool pml_error(pml_parser *p, const om_place *at, const char *what, const char *name);
bool pml_refuse(pml_parser *p, const om_place *at, const char *what);

bool pml_here(const pml_parser *p, const char *text);
bool pml_accept(pml_parser *p, const char *text);
bool pml_expect(pml_parser *p, const char *text, const char *what);
bool pml_take_name(pml_parser *p, const char *what, const char **name);
void *pml_new(pml_parser *p, size_t size);
bool pml_enter(pml_parser *p);

/* Returns true if the token is this name. */
bool pml_is_named(const pml_token *t, const char *name);
/* The same for a name that may be NULL. */
bool pml_named(const char *name, const pml_token *t);

/* ---- names ---- */

pml_variable *pml_find(const pml_parser *p, const pml_token *name);
/* Empties the table of visible variables. Called before a scope is rebuilt from variables that
 * were in another one. */
void pml_forget_visible(pml_file *f);
/* Adds the variable to the scope and to its owner's list. As in SPIN, a visible variable of the
 * same name is an error. */
bool pml_declare(pml_parser *p, pml_variable *v);
pml_proctype *pml_find_proctype(pml_parser *p, const char *name, const om_place *at);
/* Returns true if the name is that of a proctype known so far. */
bool pml_is_proctype(const pml_parser *p, const pml_token *name);
pml_struct *pml_find_struct(const pml_file *f, const pml_token *name);
bool pml_find_mtype(const pml_file *f, const pml_token *name, om_value *value);
/* Consumes a new name: one that has no meaning yet. Variables are checked by pml_declare()
 * instead. */
bool pml_take_new_name(pml_parser *p, const char *what, const char **name);
/* Records "no proctype x", likewise. */
bool pml_unknown_proctype(pml_parser *p, const pml_proctype *unknown);
/* Records "no variable x", with the nearest name as a suggestion. */
bool pml_unknown(pml_parser *p, const pml_token *name);

/* ---- whole texts ---- */

int pml_parse_file(pml_file *f);
/* Returns true if a name starts here that only traces use. Applies to texts given by the user. */
bool pml_is_shown(pml_parser *p);
pml_expr *pml_parse_shown(pml_parser *p);
/* Parses an expression over the whole model: a proposition. */
int pml_parse_proposition(pml_file *f, const char *origin, const char *text, pml_expr **out);
/* Parses a formula in the grammar of ltl blocks. It refers to words->at, which the caller frees in
 * any case. */
int pml_parse_given_formula(
    pml_file *f, const char *origin, const char *text, struct pml_tokens *words, pml_expr **out);

#endif
