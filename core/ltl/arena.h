/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h: inside of an om_ltl.
 *
 * I1: a node's operands have smaller references than the node. Every pass over a formula is
 *     therefore a loop over references, upwards or downwards, and none of them recurses.
 * I2: no two nodes are equal (hash-consing), so equality of formulas is equality of references.
 */
#ifndef OM_LTL_ARENA_H
#define OM_LTL_ARENA_H

#include <omen/plugin/ltl.h>

enum { OM_LTL_AP_MOST = 64, OM_LTL_NODES_MOST = 1 << 28 };

/*
 * What is known of a formula from its operators: EVENTUAL when it holds wherever it holds later on
 * (F f = f), UNIVERSAL when it goes on holding (G f = f). K. Etessami, G. Holzmann, "Optimizing
 * Buchi automata", CONCUR 2000, section 4; without the bits nothing is known.
 */
enum { OM_LTL_EVENTUAL = 1, OM_LTL_UNIVERSAL = 2, OM_LTL_BOTH = 3 };

typedef struct om_ltl_node {
    uint16_t op, kind; /* om_ltl_op; the bits above */
    uint32_t a, b;
} om_ltl_node;

struct om_ltl {
    om_context *ctx;
    const om_heap *heap;
    om_ltl_node *nodes; /* nodes[0] stands for "none" */
    size_t count, capacity;
    uint32_t *table; /* open addressing, 0 is free; at most half full */
    size_t table_size;
    char *aps[OM_LTL_AP_MOST];
    om_place places[OM_LTL_AP_MOST]; /* of aps[], without a file; 0 where they were not read */
    uint32_t ap_count;
};

/* 0, 1 or 2; operands of an AP are none. */
static inline int om_ltl__arity(uint32_t op)
{
    if (op <= OM_LTL_AP)
        return 0;
    return op == OM_LTL_NOT || (op >= OM_LTL_NEXT && op <= OM_LTL_GLOBALLY) ? 1 : 2;
}

/*
 * needed[g] (of f + 1 zeroed bytes) becomes 1 for every formula g that is part of f, f included;
 * returns how many those are. By I1 one pass downwards does it.
 */
size_t om_ltl__mark_subformulas(const om_ltl *l, om_ltl_ref f, uint8_t *needed);

/* ---- truth on a word (eval.c) ---- */

/* labels[0 .. n-1], with labels[loop .. n-1] repeated for ever. */
typedef struct om_ltl_word {
    const om_label *labels;
    size_t n, loop;
} om_ltl_word;

static inline size_t om_ltl__after(const om_ltl_word *w, size_t i)
{
    return i + 1 < w->n ? i + 1 : w->loop;
}

/* Truth (0 or 1, in `to`) of a node at each position, from that of its operands: a is NULL where it
 * has none, b is a where it has one. */
void om_ltl__evaluate(
    const om_ltl_word *w, const om_ltl_node *f, const uint8_t *a, const uint8_t *b, uint8_t *to);

/* ---- names of atomic propositions (ap.c) ---- */

/*
 * The name that a text stands for: backslashes are dropped, double quotes become single ones, and
 * blanks go, but for one between two characters that would otherwise read as one word or operator
 * ("a and b", "x < -1"), and for all within quotes. Idempotent. NULL when memory is out; "" when
 * nothing is left.
 */
char *om_ltl__ap_name(const om_heap *heap, const char *text, size_t length);

/* The AP of a name as the above returns it. 0: memory is out, or there would be more than 64. */
om_ltl_ref om_ltl__intern_ap(om_ltl *l, const char *name);

/* A formula's text, and how far into it a reader is. */
typedef struct om_ltl_input {
    const char *text;
    size_t length, at;
    int depth;            /* of brackets within an expression over the model */
    const char *expected; /* where reading failed: what should have been at `at` */
    bool psl, until;      /* was there a word of PSL alone; "until", which is weak in PSL, */
    size_t until_at;      /* here for the first time? */
} om_ltl_input;

enum { OM_LTL_DEPTH_MOST = 1000 };

/* Moves past blanks; the character there, or 0 at the end. */
int om_ltl__peek(om_ltl_input *in);
/* Moves past an expression over the model; false, with in->expected set, where there is none. */
bool om_ltl__skip_expression(om_ltl_input *in);
/* Does the text continue with an operator of arithmetic or comparison (as opposed to logic)? */
bool om_ltl__at_arithmetic(om_ltl_input *in);
/* Length of the word (letters, digits, underscores, characters but "/" behind a backslash) at `at`.
 */
size_t om_ltl__word_length(const om_ltl_input *in, size_t at);
/* Moves past "..." or '...'; false when it does not end. */
bool om_ltl__skip_quoted(om_ltl_input *in);
/* Is the word at in->at an operator of LTL in the place of an operand (F, G, X glued to what
 * follows, as in GFa)? F, G, X before a digit belong to a name. */
bool om_ltl__at_prefix_letter(const om_ltl_input *in);
/* Moves past the text, or the whole word, if it is there. */
bool om_ltl__take(om_ltl_input *in, const char *s);
bool om_ltl__take_word(om_ltl_input *in, const char *word);

/* A binary operator; operators of higher levels bind tighter. */
typedef struct om_ltl_binary {
    const char *text;
    om_ltl_op op;
    int level;
    bool right; /* associative to the right */
} om_ltl_binary;

/* Each moves past an operator (operators.c); 0 or NULL where there is none, or none that means one
 * thing: then in->expected is set. */
om_ltl_op om_ltl__take_unary(om_ltl_input *in);
const om_ltl_binary *om_ltl__take_binary(om_ltl_input *in);

/* Does the name begin with a word that is an operator in some spelling ("until", "next==1")? Where
 * words are operators, as in "always until", it is no name there. */
bool om_ltl__begins_with_operator(const char *name);
/* Can the name stand without quotes, so that it reads back as it is? */
bool om_ltl__plain_name(const char *name);

#endif
