/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.h: Promela source text to tokens, with the preprocessor between the two. */
#ifndef PROMELA_LEXER_H
#define PROMELA_LEXER_H

#include "ast.h"

typedef enum pml_token_kind {
    PML_T_END,
    PML_T_NAME,
    PML_T_NUMBER,
    PML_T_STRING,
    PML_T_PUNCTUATION,
    PML_T_KEYWORD /* a name that the language has reserved */
} pml_token_kind;

typedef struct pml_token {
    pml_token_kind kind;
    bool first;   /* of its line */
    bool spaced;  /* there is space before it */
    bool painted; /* came out of a macro of its own name, and is none again */
    uint32_t length;
    om_value value;
    const char *text;
    om_place at;
} pml_token;

/* A growing list; zero-initialise. */
typedef struct pml_tokens {
    pml_token *at;
    size_t count, capacity;
} pml_tokens;

int pml_tokens_add(pml_file *f, pml_tokens *list, const pml_token *t);

/* One text: a file, or a proposition. */
typedef struct pml_text {
    pml_file *file;
    const char *at, *end, *line_start, *name;
    uint32_t line;
    bool fresh; /* nothing was read on this line */
    bool shown; /* names may be those of traces, where "i'1" is the second i */
} pml_text;

/* The next token; at the end of the text one of kind PML_T_END. */
int pml_next_token(pml_text *text, pml_token *out);
/* Reads over the rest of the line. */
void pml_skip_line(pml_text *text);

bool pml_is(const pml_token *t, const char *text);

/* recognise.c: is the text Promela? */
bool pml_recognises(const char *text, size_t length);

/* Reads the text of f->file and what it includes into f->tokens; the last one is PML_T_END. */
int pml_preprocess(pml_file *f, const char *text, size_t length);

#endif
