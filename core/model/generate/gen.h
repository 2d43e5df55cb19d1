/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen.h: internals of the code generator: writing expressions and assignments.
 *
 * An expression is written in two steps. prepare() writes statements that evaluate every
 * subexpression that can fault into a temporary, in the order in which the vm would encounter the
 * faults. value() then writes an expression without side effects. It uses only temporaries of the
 * current block, which begin() and end() keep track of.
 */
#ifndef OMEN_CORE_MODEL_GEN_H
#define OMEN_CORE_MODEL_GEN_H

#include "form/interval.h"

enum {
    OM_GEN_INLINE = 24,     /* nested brackets before a temporary is used; clang accepts 256 */
    OM_GEN_BLOCKS = 100,    /* nested braces */
    OM_GEN_LEAD = 6,        /* leading conditions of a guard that it may share */
    OM_GEN_CHUNK = 1024,    /* transitions in one step function */
    OM_GEN_PLAIN = 1 << 14, /* bytes of text that are written without shapes */
    OM_GEN_LARGE = 256,     /* number of transitions above which compile time matters */
    OM_GEN_WORD_NAME = 16,  /* size of a word's name, as in "d[12345]" */
    OM_GEN_FAULT = 40       /* size of a fault's text, as in "t12 | 80u" */
};

typedef struct om_gen_form {
    bool steps;   /* functions of native code: guard and effect together */
    size_t plain; /* bytes of guards, or of effects, that are written without shapes */
} om_gen_form;

/* The kind of function that reports a fault. */
typedef enum om_gen_where {
    OM_GEN_IN_SHARED,
    OM_GEN_IN_GUARD,
    OM_GEN_IN_EFFECT,
    OM_GEN_IN_STEP,
    OM_GEN_IN_ASSERTION,
    OM_GEN_IN_LABEL
} om_gen_where;

/* The leading conditions of a guard that cannot fault. */
typedef struct om_gen_lead {
    om_expr at[OM_GEN_LEAD];
    uint32_t count;
} om_gen_lead;

typedef struct om_gen_item {
    uint32_t t;
    om_value value; /* required value of a slot */
} om_gen_item;

typedef struct om_gen om_gen;

/* Writes the code for a transition, under the conditions assumed so far. */
typedef void om_gen_leaf(om_gen *g, uint32_t t);

struct om_gen {
    const om_context *ctx; /* the context of the caller that wants the text */
    const om_model *m;
    om_text *out;
    om_gen_form form;
    /* The vector that is read: "s" or "d"; NULL: the variable of a written word, else "s". */
    const char *vector;
    bool in_words;     /* assignments change variables, not d[N] */
    uint32_t *written; /* by word: 0, or the number of its variable, as in w1 */
    om_gen_where where;
    uint32_t subject; /* of a fault */

    /* By node: 0, the number of a temporary, or OM_GEN_TRUE if the context implies that it is 1.
     * late_temp is for expressions that read changed words; empty in between. */
    uint32_t *temp, *late_temp;
    om_expr *set; /* nodes whose temp is set, oldest first */
    size_t set_count, set_capacity;
    uint32_t temps;    /* number of names used */
    uint32_t blocks;   /* open */
    bool memory, deep; /* errors: memory ran out; nesting is too deep */
    bool faults;       /* a function of the text may report a fault */

    bool *shared;   /* by node: the text has a function for it (gen_shared.c) */
    uint8_t *depth; /* by node, after prepare(): nested brackets of its text */

    om_gen_lead *lead; /* by transition; then by assertion */
    uint32_t *uses;    /* by node; all 0 between uses */
    om_gen_item *order;
    om_gen_leaf *leaf;
    uint32_t base;                     /* the first transition of a group */
    const struct om_gen_shapes *apart; /* pieces that leaves call; see om_gen__is_apart() */
};

#define OM_GEN_TRUE UINT32_MAX

/* Sets the state at the start of a function: its kind, the subject of faults, the vector it
 * reads. */
void om_gen__start(om_gen *g, om_gen_where where, uint32_t subject, const char *vector);

/* Returns true if the context is stopped; the text is incomplete then. */
static inline bool om_gen__stopped(const om_gen *g)
{
    return om_context_stopped(g->ctx) != OM_OK;
}

/* Returns true if all elements of the slot lie in one word. */
static inline bool om_gen__in_one_word(const om_slot *s)
{
    return s->length == 0 || s->position % 32 + s->bits * s->length <= 32;
}

static inline const om_node *om_gen__node(const om_gen *g, om_expr e)
{
    return &g->m->nodes[e];
}

/* Sets *first and *end to the words that an assignment changes, if these are known and few enough
 * to be written one by one; they are equal if it changes none, because its index is out of range.
 * Returns false if they are not. */
bool om_gen__changes(const om_gen *g, const om_assign *a, uint32_t *first, uint32_t *end);

/* Returns log2 of the number of array elements that fit one 32-bit word. */
static inline uint32_t om_gen__log2_per_word(const om_slot *s)
{
    uint32_t k = 0;
    while ((s->bits << k) < 32)
        k++;
    return k;
}

/* Opens a block and returns a mark; om_gen__end() with that mark forgets all temporaries set
 * since. */
size_t om_gen__begin(om_gen *g);
void om_gen__end(om_gen *g, size_t mark);
/* Forgets the temporaries set since the mark, without closing the block. */
void om_gen__forget(om_gen *g, size_t mark);

/* Records that e holds within this block, if it is boolean: then it is 1. */
void om_gen__assume(om_gen *g, om_expr e);

/* Writes the statement that reports a fault and returns from the function. The subject is g's,
 * except for overflows. */
void om_gen__fail(om_gen *g, uint32_t kind);
void om_gen__fail_of(om_gen *g, uint32_t kind, uint32_t subject);

/* Assigns e, which cannot fault, to a temporary unless it has one. */
void om_gen__name(om_gen *g, om_expr e);

/* Returns true if the tree is so low that it needs no temporaries, unless it faults. */
bool om_gen__is_low(const om_gen *g, om_expr e);
void om_gen__prepare(om_gen *g, om_expr e);
void om_gen__value(om_gen *g, om_expr e); /* a value, of om_gen_int or narrower */
void om_gen__truth(om_gen *g, om_expr e); /* 0 or 1 */
void om_gen__bits(om_gen *g, om_expr e);  /* the low 32 bits of a value, as an om_u32 */
/* Writes an assignment. site: its overflow site, or OM_NONE. */
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

/* Allocates the tables above. Returns OM_OK or OM_ENOMEM; call om_gen__close() in any case. */
int om_gen__open(om_gen *g);
void om_gen__close(om_gen *g);

void om_gen__find_leads(om_gen *g);
/* Replaces the leading conditions of transitions by those of assertions: what must hold for one to
 * fail. */
void om_gen__find_leads_of_assertions(om_gen *g);

/* Assigns conditions that many of the transitions [from, to) share to temporaries. */
void om_gen__name_common(om_gen *g, uint32_t from, uint32_t to);

/* Returns true if e follows from the assumptions. Then e is assumed itself, as are the conjuncts of
 * e that follow. */
bool om_gen__assume_guard(om_gen *g, om_expr e);

/* Writes the leaves of [from, to) as a decision tree over the leading conditions of their guards;
 * if these are of assertions, the leaves are, too. Returns the maximum number of leaves that can be
 * reached in one state. */
uint32_t om_gen__tree(om_gen *g, om_gen_where where, uint32_t from, uint32_t to, om_gen_leaf *leaf);

/* ---- shapes (gen_shapes.c) ---- */

typedef struct om_gen_piece {
    size_t end;     /* of its text */
    uint32_t group; /* of transitions */
    uint32_t first; /* the first piece with this shape */
    uint32_t next;  /* the next one with this shape, or OM_NONE */
    uint32_t last;  /* of a first piece: the last one with this shape */
    uint32_t row;   /* where its numbers begin in the table */
} om_gen_piece;

/* Pieces of text; none of them reads a temporary of another one. */
typedef struct om_gen_shapes {
    om_text text; /* of all pieces */
    om_gen_piece *pieces;
    uint32_t count;
    size_t capacity;
    om_text rows;
    uint32_t numbers; /* in the rows */
    bool tabled;      /* there are rows, if only empty ones */
    size_t plain;     /* bytes of text that are written without shapes */
    bool apart;       /* only shapes with om_gen__is_apart() have a function; others are not put */
} om_gen_shapes;

/* Ends a piece: the text since the last one. */
void om_gen__add_piece(om_gen *g, om_gen_shapes *s, uint32_t group);
/* Joins pieces with the same shape, if there is much text; writes the tables om_gen_NAME_row, with
 * their numbers, and om_gen_NAME_at, with the row of each piece (not with s->apart), and then what
 * `put` writes. Frees the shapes. */
void om_gen__put_shapes(
    om_gen *g, om_gen_shapes *s, const char *name, void (*put)(om_gen *g, om_gen_shapes *s));
/* Called by `put`: writes a function om_gen_.._N for each shape that is apart. `prefix` is its
 * specifiers and the beginning of its name; it returns the fault of the piece, or 0. Sets g->apart.
 */
void om_gen__put_apart(om_gen *g, om_gen_shapes *s, const char *prefix, const char *parameters);
/* Returns true if a piece is worth a function of its shape that is called for it. */
bool om_gen__is_apart(const om_gen_shapes *s, uint32_t piece);
/* Called by `put` once for each first piece: writes the text of its shape. It reads the numbers
 * from `p`, the row of a piece, if there are several pieces. */
void om_gen__put_shape(om_gen *g, om_gen_shapes *s, uint32_t first);

/* ---- native code (gen_steps.c) ---- */

void om_gen__steps(om_gen *g);

/* As om_model__generate(), for a model that may run and without recording a message. Returns OM_OK,
 * OM_ENOMEM, OM_EUNSUPPORTED, or the status of a stopped `ctx`, the context of the caller that
 * wants the text. */
int om_gen__write(om_context *ctx, om_model *m, const om_expr *aps, uint32_t ap_count,
    om_gen_form form, om_text *out);
#define OM_GEN_TOO_DEEP "an expression of the model nests too deeply for generated code"

/* Text of the helper functions that generated code uses. */
extern const char om_gen__prelude[];

#endif
