/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.h: the symbol table of a DVE file, by scope. */
#ifndef DVE_SYMBOLS_H
#define DVE_SYMBOLS_H

#include "ast.h"

typedef enum dve_symbol_kind {
    DVE_IS_VARIABLE = 1,
    DVE_IS_CHANNEL = 2,
    DVE_IS_PROCESS = 4,
    DVE_IS_STATE = 8
} dve_symbol_kind;

struct dve_symbol {
    const char *name;
    const dve_process *scope; /* NULL if global */
    dve_symbol_kind kind;
    dve_pos pos;
    union {
        dve_variable *variable;
        dve_channel *channel;
        dve_process *process;
        dve_state *state;
    };
};

/* Enters every declaration. A name declared twice in one scope is an error. */
int dve_declare(dve_file *f);
/* Resolves every name of a state, channel or process outside expressions, and determines how many
 * values each channel carries. */
int dve_resolve(dve_file *f);
/* Gives index 0 to arrays that are named without an index, with a warning each. `origin` is the
 * name of the text in messages. */
int dve_complete(dve_file *f, const char *origin, dve_expr *references);

/* Returns the symbol `name` of exactly this scope, or NULL. */
const dve_symbol *dve_find(const dve_file *f, const dve_process *scope, const char *name);
/* Returns the symbol of a name without an owner, or NULL. Names of the process (if not NULL) come
 * before global ones. */
const dve_symbol *dve_lookup(const dve_file *f, const dve_process *process, const char *name);

/*
 * Records "unknown WHAT NAME" with the nearest name as a suggestion. Candidates are the symbols of
 * `kinds` (a bit set) in the scope and, with `outer`, the global ones. Returns OM_EINPUT.
 */
int dve_unknown(const dve_file *f, const om_place *place, const char *what, const char *name,
    const dve_process *scope, bool outer, unsigned kinds);

#endif
