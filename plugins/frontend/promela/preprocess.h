/* SPDX-License-Identifier: Apache-2.0 */
/* preprocess.h: macros and conditions, between preprocess.c and macro.c. */
#ifndef PROMELA_PREPROCESS_H
#define PROMELA_PREPROCESS_H

#include "lexer.h"

#include <omen/plugin/sources.h>

enum { PML_MAX_CONDITIONS = 64 };

typedef struct pml_macro pml_macro;
struct pml_macro {
    pml_token name;
    pml_token *parameters, *body;
    size_t parameter_count, count;
    bool with_parameters;
    bool with_rest; /* the last parameter stands for all arguments that are left */
    bool active;    /* its text is being expanded: the name means nothing there */
};

/* An #if: does its present branch count, did one before, was there an #else? */
typedef struct pml_condition {
    om_place at;
    bool on, done, was_else;
} pml_condition;

typedef struct pml_preprocessor {
    pml_file *file;
    pml_index macros;
    pml_condition condition[PML_MAX_CONDITIONS];
    size_t conditions, base; /* base: how many there were where the present file began */
    const char *open[PML_MAX_INCLUDES + 1]; /* paths; the first one is the model's */
    size_t depth;
    size_t made; /* characters of words that macros made */
    pml_tokens out;
} pml_preprocessor;

int pml_preprocess_text(pml_preprocessor *p, const char *name, const char *text, size_t length);
/* Which parameter the word is; parameter_count: none. */
size_t pml_macro_parameter(const pml_macro *m, const pml_token *t);
pml_macro *pml_find_macro(const pml_preprocessor *p, const pml_token *t);
/* Appends the tokens to `out` with all macros in them expanded. */
int pml_expand(
    pml_preprocessor *p, const pml_token *in, size_t count, size_t depth, pml_tokens *out);
/* Does the condition of an #if hold? */
int pml_evaluate(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line, bool *holds);

/* `#include "file"` or `#include <file>`: reads the file. */
int pml_include(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line);
/* Defines the macros of om_context_sources(). */
int pml_define_given(pml_preprocessor *p);

#endif
