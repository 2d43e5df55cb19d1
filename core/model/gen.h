/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen.h: the inside of the generator: writing expressions and assignments.
 *
 * An expression is written in two steps. prepare() writes, as statements, whatever could fault,
 * each such value into a temporary, in the order in which the vm would meet the faults; value()
 * then writes an expression that has no side effect. Only temporaries of the current block are
 * used: begin() and end() keep the books.
 */
#ifndef OMEN_CORE_MODEL_GEN_H
#define OMEN_CORE_MODEL_GEN_H

#include "interval.h"

enum {
    OM_GEN_INLINE = 24,   /* levels of brackets before a temporary; clang takes 256 */
    OM_GEN_BLOCKS = 100,  /* levels of braces */
    OM_GEN_LEAD = 6,      /* conditions at the beginning of a guard that it may share */
    OM_GEN_CHUNK = 1024,  /* transitions of one step function */
    OM_GEN_LARGE = 256,   /* transitions from which compilers are to be spared */
    OM_GEN_WORD_NAME = 16 /* bytes of what names a word: "d[12345]" */
};

/* Where a fault goes. */
typedef enum om_gen_where {
    OM_GEN_IN_GUARD,
    OM_GEN_IN_EFFECT,
    OM_GEN_IN_STEP,
    OM_GEN_IN_ASSERTION,
    OM_GEN_IN_LABEL
} om_gen_where;

/* What a guard begins with and cannot fault. */
typedef struct om_gen_lead {
    om_expr at[OM_GEN_LEAD];
    uint32_t count;
} om_gen_lead;

typedef struct om_gen_item {
    uint32_t t;
    om_value value; /* that a slot must have */
} om_gen_item;

typedef struct om_gen om_gen;

/* Writes what is to be done for a transition; what holds already is assumed. */
typedef void om_gen_leaf(om_gen *g, uint32_t t);

struct om_gen {
    const om_context *ctx; /* of who wants the text */
    const om_model *m;
    om_text *out;
    const char *vector; /* that is read: "s" or "d"; NULL: wN where word N is written, else "s" */
    bool in_words;      /* assignments change wN, not d[N] */
    bool *written;      /* by word */
    om_gen_where where;
    uint32_t subject; /* of a fault */

    /* By node: 0, a temporary, or OM_GEN_TRUE when the surroundings make it 1. */
    uint32_t *temp, *late_temp; /* the latter for what reads changed words; empty in between */
    om_expr *set;               /* nodes whose temp is set, oldest first */
    size_t set_count, set_capacity;
    uint32_t temps;    /* names used */
    uint32_t blocks;   /* open */
    bool memory, deep; /* what went wrong */
    bool faults;       /* the text can tell of faults of the model */

    bool *shared;   /* by node: the text has a function for it (gen_shared.c) */
    uint8_t *depth; /* by node, after prepare(): nested brackets of its text */

    om_gen_lead *lead; /* by transition */
    uint32_t *uses;    /* by node; all 0 between two conditions of many */
    om_gen_item *order;
    om_gen_leaf *leaf;
    uint32_t base; /* the first transition of a group */
};

#define OM_GEN_TRUE UINT32_MAX

/* Starts afresh at the top of a function for faults of `subject`. */
void om_gen__start(om_gen *g, om_gen_where where, uint32_t subject, const char *vector);

/* Is the text no longer wanted? It is not complete then. */
static inline bool om_gen__stopped(const om_gen *g)
{
    return om_context_stopped(g->ctx) != OM_OK;
}

/* Does the slot lie in one word, all its elements? */
static inline bool om_gen__in_one_word(const om_slot *s)
{
    return s->length == 0 || s->position % 32 + s->bits * s->length <= 32;
}

static inline const om_node *om_gen__node(const om_gen *g, om_expr e)
{
    return &g->m->nodes[e];
}

/* Elements of an array that a word holds, as a power of two. */
static inline uint32_t om_gen__log2_per_word(const om_slot *s)
{
    uint32_t k = 0;
    while ((s->bits << k) < 32)
        k++;
    return k;
}

/* Opens a block; what is set inside is forgotten by the end() that gets the result. */
size_t om_gen__begin(om_gen *g);
void om_gen__end(om_gen *g, size_t mark);
/* Forgets it already here. */
void om_gen__forget(om_gen *g, size_t mark);

/* Within this block, e is known to be 1. */
void om_gen__assume(om_gen *g, om_expr e);

/* What happens when the fault does, whose subject is g's but for overflows: it is told, and the
 * function returns. */
void om_gen__fail(om_gen *g, uint32_t kind);
void om_gen__fail_of(om_gen *g, uint32_t kind, uint32_t subject);

/* Gives e, which cannot fault, a temporary, unless it has one. */
void om_gen__name(om_gen *g, om_expr e);

void om_gen__prepare(om_gen *g, om_expr e);
void om_gen__value(om_gen *g, om_expr e); /* a value, of om_gen_int or narrower */
void om_gen__truth(om_gen *g, om_expr e); /* 0 or 1 */
/* With the number of its site, or OM_NONE. */
void om_gen__assign(om_gen *g, const om_assign *a, uint32_t site);

/* True if e is written as a call of its function. The function reads a vector, so it cannot be used
 * while changed words are held in variables. */
static inline bool om_gen__is_call(const om_gen *g, om_expr e)
{
    return g->shared[e] && g->vector != NULL;
}

/* Writes a function for each large expression that is used more than once. */
void om_gen__share(om_gen *g, const om_expr *aps, uint32_t ap_count);

/* ---- many guards (gen_guards.c) ---- */

/* The tables above. OM_OK or OM_ENOMEM; close() in any case. */
int om_gen__open(om_gen *g);
void om_gen__close(om_gen *g);

void om_gen__find_leads(om_gen *g);

/* Names conditions that many of the transitions [from, to) have in common. */
void om_gen__name_common(om_gen *g, uint32_t from, uint32_t to);

/* Does e follow from what is assumed? Then it is assumed itself, as are its conjuncts that do. */
bool om_gen__assume_guard(om_gen *g, om_expr e);

/* Writes the leaves of [from, to) under what their guards begin with; how many can be reached in
 * one state, at most. */
uint32_t om_gen__tree(om_gen *g, om_gen_where where, uint32_t from, uint32_t to, om_gen_leaf *leaf);

/* ---- native code (gen_steps.c) ---- */

void om_gen__steps(om_gen *g);

/* om_model__generate() for a model that may run, with no message recorded. OM_OK, OM_ENOMEM,
 * OM_EUNSUPPORTED, or what stops `ctx`, which is of who wants the text. */
int om_gen__write(
    om_context *ctx, om_model *m, const om_expr *aps, uint32_t ap_count, om_text *out);
#define OM_GEN_TOO_DEEP "an expression of the model nests too deeply for generated code"

/* Helper functions that the above use. */
extern const char om_gen__prelude[];

#endif
