/* SPDX-License-Identifier: Apache-2.0 */
/* definitions.h: the macros that a model was read with (-D), as recorded in its lassos: a run of
 * one variant of a model says nothing about another. */
#ifndef OM_LASSO_DEFINITIONS_H
#define OM_LASSO_DEFINITIONS_H

#include <omen/plugin/sources.h>

#include <jansson.h>

/* Appends `, "definitions": [...]`, or nothing if there are none. */
void om_lasso__put_definitions(const om_sources *s, om_text *out);
/*
 * Returns true if the definitions of a lasso (NULL: none) equal those of the model, in any order.
 */
bool om_lasso__same_definitions(const om_sources *s, const json_t *recorded);
/* Appends "-DN=3 -DBUG" for messages; "no -D" for NULL. */
void om_lasso__put_definition_options(const json_t *recorded, om_text *out);

#endif
