/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.h: a recursive-descent parser for DVE, one function per rule of the grammar.
 *
 * The rule stands above each function: 'x' is a token, [x] optional, {x} any number of times. The
 * functions return false (or NULL) once something is wrong; the message is then in the context.
 */
#ifndef DVE_PARSER_H
#define DVE_PARSER_H

#include "lexer.h"

typedef struct dve_parser {
    dve_lexer lex;
    dve_file *file;
    const dve_process *within; /* the process that is read, or NULL */
    dve_expr **next_reference; /* where the next one is noted */
    uint32_t nesting;
    int status; /* of the failure, where it is not OM_EINPUT */
} dve_parser;

/* Reads the whole of f->text into f. */
int dve_parse_file(dve_file *f, size_t length);
/* Reads one proposition; `text` must live as long as *out is used. The references in it come out as
 * a list. */
int dve_parse_proposition(
    dve_file *f, const char *origin, const char *text, dve_expr **out, dve_expr **references);

/* ---- shared by the rules ---- */

/* "expected WHAT, found TOKEN" at the current token. Always false. */
bool dve_unexpected(dve_parser *p, const char *what);
/* Always false: memory is out. */
bool dve_no_memory(dve_parser *p);
/* Steps over the punctuation, or complains that `what` was expected. */
bool dve_expect(dve_parser *p, const char *punctuation, const char *what);
/* Steps over the punctuation if it is there. */
bool dve_accept(dve_parser *p, const char *punctuation);
/* Steps over the keyword if it is there. */
bool dve_accept_keyword(dve_parser *p, dve_token_kind keyword);
/* Takes a name; `what` says of what. */
bool dve_take_name(dve_parser *p, const char *what, const char **name, dve_pos *pos);

dve_expr *dve_parse_expression(dve_parser *p);
/* A variable or an element of an array: what can be assigned to. */
dve_expr *dve_parse_target(dve_parser *p, const char *what);
bool dve_parse_variables(dve_parser *p, dve_variable ***tail);
bool dve_parse_process(dve_parser *p, dve_process *out);

#endif
