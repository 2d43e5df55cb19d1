/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.h: a recursive-descent parser for DVE, one function per rule of the grammar.
 *
 * The rule stands above each function: 'x' is a token, [x] is optional, {x} is repeated any number
 * of times. The functions return false (or NULL) after an error, with the message recorded in the
 * context.
 */
#ifndef DVE_PARSER_H
#define DVE_PARSER_H

#include "lexer.h"

typedef struct dve_parser {
    dve_lexer lex;
    dve_file *file;
    const dve_process *within; /* process that is being parsed, or NULL */
    dve_expr **next_reference; /* tail of the list of references */
    uint32_t nesting;
    int status; /* of the failure, OM_EINPUT by default */
} dve_parser;

/* Parses the whole of f->text into f. */
int dve_parse_file(dve_file *f, size_t length);
/* Parses one proposition. `text` must live as long as *out is used. *references receives the list
 * of its references. */
int dve_parse_proposition(
    dve_file *f, const char *origin, const char *text, dve_expr **out, dve_expr **references);

/* ---- shared by the rules ---- */

/* Records "expected WHAT, found TOKEN" at the current token. Always returns false. */
bool dve_unexpected(dve_parser *p, const char *what);
/* Records that memory ran out. Always returns false. */
bool dve_no_memory(dve_parser *p);
/* Consumes the punctuation, or records that `what` was expected. */
bool dve_expect(dve_parser *p, const char *punctuation, const char *what);
/* Consumes the punctuation if it is the current token. */
bool dve_accept(dve_parser *p, const char *punctuation);
/* Consumes the keyword if it is the current token. */
bool dve_accept_keyword(dve_parser *p, dve_token_kind keyword);
/* Consumes a name; `what` describes it in the error message. */
bool dve_take_name(dve_parser *p, const char *what, const char **name, dve_pos *pos);

dve_expr *dve_parse_expression(dve_parser *p);
/* Parses an assignable target: a variable or an element of an array. */
dve_expr *dve_parse_target(dve_parser *p, const char *what);
bool dve_parse_variables(dve_parser *p, dve_variable ***tail);
bool dve_parse_process(dve_parser *p, dve_process *out);

#endif
