/* SPDX-License-Identifier: Apache-2.0 */
/* preprocess.h: macros and conditions, shared by preprocess.c, macro.c and include.c. */
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
    bool with_rest; /* the last parameter takes all remaining arguments */
    bool active;    /* being expanded: the name is not a macro meanwhile */
};

/* An #if: its current branch is active, an earlier branch was, an #else was seen. */
typedef struct pml_condition {
    om_place at;
    bool on, done, was_else;
} pml_condition;

typedef struct pml_preprocessor {
    pml_file *file;
    pml_index macros;
    pml_condition condition[PML_MAX_CONDITIONS];
    size_t conditions, base;                /* base: number at the beginning of the current file */
    const char *open[PML_MAX_INCLUDES + 1]; /* paths; the first one is the model's */
    size_t depth;
    size_t made; /* characters of tokens made by macros */
    pml_tokens out;
} pml_preprocessor;

int pml_preprocess_text(pml_preprocessor *p, const char *name, const char *text, size_t length);
/* Returns the index of the parameter that the token names, or parameter_count. */
size_t pml_macro_parameter(const pml_macro *m, const pml_token *t);
pml_macro *pml_find_macro(const pml_preprocessor *p, const pml_token *t);
/* Appends the tokens to `out`, with all macros in them expanded. */
int pml_expand(
    pml_preprocessor *p, const pml_token *in, size_t count, size_t depth, pml_tokens *out);
/* Evaluates the condition of an #if. */
int pml_evaluate(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line, bool *holds);

/* Processes `#include "file"` or `#include <file>`: reads the file. */
int pml_include(pml_preprocessor *p, const pml_token *hash, const pml_tokens *line);
/* Defines the macros of om_context_sources(). */
int pml_define_given(pml_preprocessor *p);

#endif
