/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.h: the names of a DVE file, by scope, and what they stand for. */
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
    const dve_process *scope; /* NULL: global */
    dve_symbol_kind kind;
    dve_pos pos;
    union {
        dve_variable *variable;
        dve_channel *channel;
        dve_process *process;
        dve_state *state;
    };
};

/* Enters every declaration; a name declared twice in one scope is an error. */
int dve_declare(dve_file *f);
/* Looks up every name of a state, channel or process outside expressions, and counts the values
 * that each channel carries. */
int dve_resolve(dve_file *f);
/* Gives arrays that are named without an index the index 0, with a warning each. `origin` is what
 * messages call the text. */
int dve_complete(dve_file *f, const char *origin, dve_expr *references);

/* What `name` stands for in exactly this scope, or NULL. */
const dve_symbol *dve_find(const dve_file *f, const dve_process *scope, const char *name);
/* What a name without an owner stands for, or NULL: the process's own (NULL: none) first. */
const dve_symbol *dve_lookup(const dve_file *f, const dve_process *process, const char *name);

/*
 * Records "unknown WHAT NAME", with the nearest name of one of `kinds` (a bit set) in the scope or,
 * with `outer`, among the global ones. Returns OM_EINPUT.
 */
int dve_unknown(const dve_file *f, const om_place *place, const char *what, const char *name,
    const dve_process *scope, bool outer, unsigned kinds);

#endif
