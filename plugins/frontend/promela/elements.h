/* SPDX-License-Identifier: Apache-2.0 */
/* elements.h: the numbers that SPIN gives to statements, which stand in its trails. */
#ifndef PROMELA_ELEMENTS_H
#define PROMELA_ELEMENTS_H

#include "ast.h"

/* Numbers the statements of a proctype, or claim, whose body has just been read; and takes those
 * out that SPIN takes out. False when memory is out. */
bool pml_number(pml_file *f, pml_proctype *t);
/* Notes the labels that a formula names, which has just been read. False when memory is out. */
bool pml_number_formula(pml_file *f, const pml_expr *e);
/* Behind a choice, where its options meet (of a loop: where `break` goes), or behind an `unless`.
 */
uint32_t pml_exit_element(const pml_statement *s);
/* SPIN has a `skip` before this jump, so that a process can be seen at its label. */
bool pml_has_skip(const pml_statement *s);

/* Does the name begin with this word? */
bool pml_begins(const char *s, const char *with);

#endif
