/* SPDX-License-Identifier: Apache-2.0 */
/* elements.h: the numbers of statements in SPIN, which its trails contain. */
#ifndef PROMELA_ELEMENTS_H
#define PROMELA_ELEMENTS_H

#include "ast.h"

/* Numbers the statements of a proctype or claim whose body has just been parsed, and removes the
 * statements that SPIN removes. Returns false if memory runs out. */
bool pml_number(pml_file *f, pml_proctype *t);
/* Notes the labels named by a formula that has just been parsed. Returns false if memory runs out.
 */
bool pml_number_formula(pml_file *f, const pml_expr *e);
/* Returns the number of the element after a choice, where its options meet (for a loop, the target
 * of `break`), or after an `unless`. */
uint32_t pml_exit_element(const pml_statement *s);
/* Returns true if SPIN inserts a `skip` before this jump, so that a process can be seen at its
 * label. */
bool pml_has_skip(const pml_statement *s);

/* Returns true if s begins with `with`. */
bool pml_begins(const char *s, const char *with);

#endif
