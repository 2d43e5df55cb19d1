/* SPDX-License-Identifier: Apache-2.0 */
/* parse_statement.h: parses statements, declarations and uses of inlines. */
#ifndef PROMELA_PARSE_STATEMENT_H
#define PROMELA_PARSE_STATEMENT_H

#include "parse_expression.h"

/* Parses statements up to '}', '::', 'fi' or 'od'. */
bool pml_parse_sequence(pml_parser *p, pml_statement **out);
bool pml_parse_block(pml_parser *p, pml_statement **out);
/* pml_parse_declaration() parses a declaration; among statements, the steps that store its values
 * are appended to *tail. */
bool pml_starts_declaration(const pml_parser *p);
bool pml_parse_declaration(pml_parser *p, pml_statement ***tail);
bool pml_parse_constant(
    pml_parser *p, const char *what, om_value low, om_value high, om_value *out);
/* The same, or the name of a variable, which stands for its initial value. */
bool pml_parse_bound(pml_parser *p, const char *what, om_value low, om_value high, om_value *out);
/* ['priority' NUMBER] */
bool pml_parse_priority(pml_parser *p, om_value *out);
bool pml_is_visibility(const pml_token *t);
bool pml_parse_type(pml_parser *p, pml_variable *v);
bool pml_parse_variable(pml_parser *p, const pml_variable *like, pml_variable **out);
bool pml_parse_typedef(pml_parser *p);
bool pml_parse_mtypes(pml_parser *p);

pml_statement *pml_new_statement(pml_parser *p, pml_statement_kind kind);
/* Appends a list to another and moves the tail to its end. Returns false if s is NULL. */
bool pml_append(pml_statement ***tail, pml_statement *s);
bool pml_parse_for(pml_parser *p, pml_statement ***tail);
bool pml_parse_select(pml_parser *p, pml_statement ***tail);
bool pml_parse_compound(pml_parser *p, pml_statement ***tail, pml_statement_kind kind);
/* Returns the inline of that name, or NULL. */
pml_inline *pml_find_inline(const pml_parser *p, const pml_token *t);
/* Parses a use of an inline; target receives its value, or is NULL. */
bool pml_parse_inline(pml_parser *p, pml_statement ***tail, pml_inline *in, pml_expr *target);

#endif
