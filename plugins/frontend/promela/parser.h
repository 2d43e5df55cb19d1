/* SPDX-License-Identifier: Apache-2.0 */
/* parser.h: recursive descent over the tokens; each function carries its grammar rule. */
#ifndef PROMELA_PARSER_H
#define PROMELA_PARSER_H

#include "lexer.h"

typedef struct pml_inline pml_inline;
struct pml_inline {
    pml_token name;
    pml_token *parameters;
    size_t parameter_count;
    const pml_token *body; /* from '{' to '}' */
    size_t count;
    bool active; /* its text is being read */
    pml_inline *next;
};

typedef struct pml_parser {
    pml_file *file;
    const pml_token *at;
    const pml_token *first; /* of the text */
    pml_variable *scope;    /* what is visible, the innermost first */
    uint32_t depth;         /* of blocks */
    const pml_block *block;
    size_t nesting, parentheses;
    pml_proctype *within;
    bool used;          /* an inline, in the statement that was read last */
    bool begun;         /* the body has had a statement: declarations are steps from here on */
    bool formula;       /* temporal operators are read */
    bool given;         /* the text is the user's, beside the model: names of traces are read */
    pml_expr *run;      /* the `run` that the statement has so far */
    pml_expr *returned; /* where `return` stores its value, or NULL */
    pml_inline *inlines;
    pml_variable **last_global, **last_local;
    size_t spent; /* tokens that inlines came to */
    int status;
} pml_parser;

/* Each records a message, and gives false or NULL. */
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

/* Is the word this one? */
bool pml_is_named(const pml_token *t, const char *name);
/* The same of a name that may be NULL. */
bool pml_named(const char *name, const pml_token *t);

/* ---- names ---- */

pml_variable *pml_find(const pml_parser *p, const pml_token *name);
/* Before a scope is made anew of variables that have been in another one. */
void pml_forget_visible(pml_file *f);
/* Adds the variable to the scope and to its owner's list; as SPIN has it, no other one of its name
 * is visible there. */
bool pml_declare(pml_parser *p, pml_variable *v);
pml_proctype *pml_find_proctype(pml_parser *p, const char *name, const om_place *at);
/* Is it the name of a proctype, as far as that is known? */
bool pml_is_proctype(const pml_parser *p, const pml_token *name);
pml_struct *pml_find_struct(const pml_file *f, const pml_token *name);
bool pml_find_mtype(const pml_file *f, const pml_token *name, om_value *value);
/* Takes a name that is to mean something from here on, and does not yet; variables are left to
 * pml_declare(). */
bool pml_take_new_name(pml_parser *p, const char *what, const char **name);
/* "no proctype x", likewise. */
bool pml_unknown_proctype(pml_parser *p, const pml_proctype *unknown);
/* "no variable x" with the nearest name there is. */
bool pml_unknown(pml_parser *p, const pml_token *name);

/* ---- the parts ---- */

pml_expr *pml_parse_expression(pml_parser *p);
/* Of '+' and '-'; and what binds tighter than every binary operator. */
enum { PML_SUM_LEVEL = 9, PML_UNARY_LEVEL = 11 };
/* An expression of operators that bind at least as tightly as `level`. */
pml_expr *pml_parse_level(pml_parser *p, unsigned level);
/* Ends the expression before the current token; NULL where e is, or is too high a tree. */
pml_expr *pml_closed(pml_parser *p, pml_expr *e);
/* An optional index, into e->a. */
bool pml_parse_index(pml_parser *p, pml_expr *e);
/* '(' expression ')'; open and close are what was expected where one of the two is missing. */
bool pml_parse_enclosed(pml_parser *p, const char *open, const char *close, pml_expr **out);
pml_expr *pml_parse_reference(pml_parser *p);
pml_expr *pml_parse_formula(pml_parser *p);
/* In a formula: what to say beside an error after an operator that could be a name; "" if there is
 * nothing. */
const char *pml_hint_after_operator(const pml_parser *p);
/* Is the name that nothing has an operator, misplaced or in another spelling? Records a message. */
bool pml_unknown_operator(pml_parser *p, const pml_token *name);
bool pml_parse_arguments(
    pml_parser *p, bool receive, const char *end, pml_expr **list, uint32_t *count);
/* Adds the fields that something of this type comes to in a message. */
bool pml_add_message_fields(
    pml_parser *p, const pml_variable *like, pml_variable ***tail, uint32_t *count);
/* Something is stored into what the reference names. */
void pml_mark_assigned(const pml_expr *e);
/* Does the expression name a whole structure? Adds references to its scalars, in that order. */
bool pml_is_structure(const pml_expr *e);
bool pml_add_structure(pml_parser *p, const pml_expr *e, pml_expr ***tail, uint32_t *count);
pml_expr *pml_new_expr(pml_parser *p, pml_kind kind);
pml_expr *pml_new_number(pml_parser *p, om_value value);
pml_expr *pml_new_binary(pml_parser *p, om_op op, pml_expr *a, pml_expr *b);
/* A row of statements up to '}' or '::', 'fi', 'od'. */
bool pml_parse_sequence(pml_parser *p, pml_statement **out);
bool pml_parse_block(pml_parser *p, pml_statement **out);
/* What a declaration among statements comes to, appended to *tail. */
bool pml_starts_declaration(const pml_parser *p);
bool pml_parse_declaration(pml_parser *p, pml_statement ***tail);
bool pml_parse_constant(
    pml_parser *p, const char *what, om_value low, om_value high, om_value *out);
/* The same, or the name of a variable that stands for its initial value. */
bool pml_parse_bound(pml_parser *p, const char *what, om_value low, om_value high, om_value *out);
/* ['priority' NUMBER] */
bool pml_parse_priority(pml_parser *p, om_value *out);
bool pml_is_visibility(const pml_token *t);
bool pml_parse_type(pml_parser *p, pml_variable *v);
bool pml_parse_variable(pml_parser *p, const pml_variable *like, pml_variable **out);
bool pml_parse_typedef(pml_parser *p);
bool pml_parse_mtypes(pml_parser *p);

pml_statement *pml_new_statement(pml_parser *p, pml_statement_kind kind);
/* Appends a list to another, and moves the tail to its end; false for NULL. */
bool pml_append(pml_statement ***tail, pml_statement *s);
bool pml_parse_for(pml_parser *p, pml_statement ***tail);
bool pml_parse_select(pml_parser *p, pml_statement ***tail);
bool pml_parse_compound(pml_parser *p, pml_statement ***tail, pml_statement_kind kind);
/* The inline of that name, or NULL; and a use of it. */
pml_inline *pml_find_inline(const pml_parser *p, const pml_token *t);
/* target: where its value goes, or NULL */
bool pml_parse_inline(pml_parser *p, pml_statement ***tail, pml_inline *in, pml_expr *target);

int pml_parse_file(pml_file *f);
/* Does a name that traces show begin here, and no other? In texts that are given alone. */
bool pml_is_shown(pml_parser *p);
pml_expr *pml_parse_shown(pml_parser *p);
/* An expression over the whole model: a proposition. */
int pml_parse_proposition(pml_file *f, const char *origin, const char *text, pml_expr **out);
/* A formula as ltl blocks have it, appended as om_ltl_parse() reads it. */
int pml_read_formula(pml_file *f, const char *origin, const char *text, om_text *out);

#endif
