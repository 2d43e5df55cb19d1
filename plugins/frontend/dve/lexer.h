/* SPDX-License-Identifier: Apache-2.0 */
/* lexer.h: splits DVE source text into tokens, one at a time. */
#ifndef DVE_LEXER_H
#define DVE_LEXER_H

#include "ast.h"

typedef enum dve_token_kind {
    T_END,
    T_NAME,
    T_NUMBER,
    T_STRING, /* 'x' or "x", in propositions only */
    T_PUNCTUATION,
    /* keywords */
    T_ACCEPT,
    T_AND,
    T_ASSERT,
    T_ASYNC,
    T_BYTE,
    T_CHANNEL,
    T_COMMIT,
    T_CONST,
    T_EFFECT,
    T_FALSE,
    T_GUARD,
    T_IMPLY,
    T_INIT,
    T_INT,
    T_NOT,
    T_OR,
    T_PROCESS,
    T_PROPERTY,
    T_STATE,
    T_SYNC,
    T_SYSTEM,
    T_TRANS,
    T_TRUE,
    T_BAD /* invalid token with its error recorded, or the context asks to stop */
} dve_token_kind;

typedef struct dve_token {
    dve_token_kind kind;
    const char *text; /* borrowed from the source */
    size_t length;
    dve_pos pos;
    om_value value; /* value of a number */
} dve_token;

typedef struct dve_lexer {
    dve_file *file;
    const char *text, *at, *end, *line_start;
    const char *origin; /* name of the text in messages */
    uint32_t line;
    /* True for a proposition: quoted names and backslashes before dots and brackets are allowed. */
    bool proposition;
    dve_token token; /* current token */
    size_t last_end; /* offset of the end of the previous token */
} dve_lexer;

void dve_lexer_start(dve_lexer *l, dve_file *f, const char *origin, const char *text, size_t length,
    bool proposition);
/* Advances to the next token. */
void dve_lexer_next(dve_lexer *l);
/* Returns true if the current token is this punctuation. */
bool dve_lexer_is(const dve_lexer *l, const char *punctuation);

#endif
