/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.h: Promela tokens, from the lexer and the preprocessor. */
#ifndef PROMELA_LEXER_H
#define PROMELA_LEXER_H

#include "read/ast.h"

typedef enum pml_token_kind {
    PML_T_END,
    PML_T_NAME,
    PML_T_NUMBER,
    PML_T_STRING,
    PML_T_PUNCTUATION,
    PML_T_KEYWORD /* a reserved name */
} pml_token_kind;

typedef struct pml_token {
    pml_token_kind kind;
    bool first;   /* first token of its line */
    bool spaced;  /* preceded by space */
    bool painted; /* produced by the macro of its own name, and not expanded again */
    uint32_t length;
    om_value value;
    const char *text;
    om_place at;
} pml_token;

/* A growing list of tokens; zero-initialise it. */
typedef struct pml_tokens {
    pml_token *at;
    size_t count, capacity;
} pml_tokens;

int pml_tokens_add(pml_file *f, pml_tokens *list, const pml_token *t);

/* A text to be read: a file, or a proposition. */
typedef struct pml_text {
    pml_file *file;
    const char *at, *end, *line_start, *name;
    uint32_t line;
    bool fresh; /* no token read on this line yet */
    bool shown; /* names may be those of traces, where "i'1" is the second i */
} pml_text;

/* Reads the next token; at the end of the text, one of kind PML_T_END. */
int pml_next_token(pml_text *text, pml_token *out);
/* Skips the rest of the line. */
void pml_skip_line(pml_text *text);

bool pml_is(const pml_token *t, const char *text);

/* Returns true if the text is Promela (recognise.c). */
bool pml_recognises(const char *text, size_t length);

/* Reads the text of f->file and of the files that it includes into f->tokens; the last token is
 * PML_T_END. */
int pml_preprocess(pml_file *f, const char *text, size_t length);

#endif
