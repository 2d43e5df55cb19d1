/* SPDX-License-Identifier: Apache-2.0 */
/* parse_expression.h: parses expressions, references, formulas and messages. */
#ifndef PROMELA_PARSE_EXPRESSION_H
#define PROMELA_PARSE_EXPRESSION_H

#include "parser.h"

/* ---- the parts ---- */

pml_expr *pml_parse_expression(pml_parser *p);
/* Level of '+' and '-', and the level that binds tighter than every binary operator. */
enum { PML_SUM_LEVEL = 9, PML_UNARY_LEVEL = 11 };
/* Parses an expression of operators that bind at least as tightly as `level`. */
pml_expr *pml_parse_level(pml_parser *p, unsigned level);
/* Ends the expression before the current token. Returns NULL if e is NULL or its tree is too high.
 */
pml_expr *pml_closed(pml_parser *p, pml_expr *e);
/* Parses an optional index into e->a. */
bool pml_parse_index(pml_parser *p, pml_expr *e);
/* Parses '(' expression ')'; `open` and `close` describe the parentheses in error messages. */
bool pml_parse_enclosed(pml_parser *p, const char *open, const char *close, pml_expr **out);
pml_expr *pml_parse_reference(pml_parser *p);
pml_expr *pml_parse_formula(pml_parser *p);
/* In a formula: returns a hint for an error after an operator that could be a name, or "". */
const char *pml_hint_after_operator(const pml_parser *p);
/* Returns true, and records a message, if the unknown name is an operator, misplaced or in another
 * spelling. */
bool pml_unknown_operator(pml_parser *p, const pml_token *name);
bool pml_parse_arguments(
    pml_parser *p, bool receive, const char *end, pml_expr **list, uint32_t *count);
/* Adds the fields of a message for an item of this type. */
bool pml_add_message_fields(
    pml_parser *p, const pml_variable *like, pml_variable ***tail, uint32_t *count);
/* Marks the variable that the reference names as assigned. */
void pml_mark_assigned(const pml_expr *e);
/* pml_is_structure() returns true if the expression names a whole structure. pml_add_structure()
 * adds references to its scalars, in their order. */
bool pml_is_structure(const pml_expr *e);
bool pml_add_structure(pml_parser *p, const pml_expr *e, pml_expr ***tail, uint32_t *count);
pml_expr *pml_new_expr(pml_parser *p, pml_kind kind);
pml_expr *pml_new_number(pml_parser *p, om_value value);
pml_expr *pml_new_binary(pml_parser *p, om_op op, pml_expr *a, pml_expr *b);

#endif
