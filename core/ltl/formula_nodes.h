/* SPDX-License-Identifier: Apache-2.0 */
/*
 * formula_nodes.h: internals of om_ltl.
 *
 * I1: a node's operands have smaller references than the node. Every pass over a formula is
 *     therefore a loop over references, upwards or downwards, and none of them recurses.
 * I2: no two nodes are equal (hash consing), so formulas are equal if and only if their references
 *     are.
 */
#ifndef OM_LTL_FORMULA_NODES_H
#define OM_LTL_FORMULA_NODES_H

#include <omen/plugin/ltl.h>

#include <assert.h>

enum { OM_LTL_AP_MOST = 64, OM_LTL_NODES_MOST = 1 << 28 };

/*
 * Properties of a formula that follow from its operators. EVENTUAL: if the formula holds at a later
 * position, it holds now (F f = f). UNIVERSAL: if it holds now, it holds at all later positions (G
 * f = f). K. Etessami, G. Holzmann, "Optimizing Buchi automata", CONCUR 2000, section 4. A clear
 * bit means unknown.
 */
enum { OM_LTL_EVENTUAL = 1, OM_LTL_UNIVERSAL = 2, OM_LTL_BOTH = 3 };

typedef struct om_ltl_node {
    uint16_t op, kind; /* op: om_ltl_op; kind: the bits above */
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
    om_place places[OM_LTL_AP_MOST]; /* positions in the text, without the file; 0 if not parsed */
    uint32_t ap_count;
};

/* Returns the number of operands: 0, 1 or 2. An AP has none. */
static inline int om_ltl__arity(uint32_t op)
{
    if (op <= OM_LTL_AP)
        return 0;
    return op == OM_LTL_NOT || (op >= OM_LTL_NEXT && op <= OM_LTL_GLOBALLY) ? 1 : 2;
}

/*
 * Sets needed[g] (f + 1 zeroed bytes) to 1 for every subformula g of f, f included; returns the
 * number of subformulas. One downward pass, by I1.
 */
size_t om_ltl__mark_subformulas(const om_ltl *l, om_ltl_ref f, uint8_t *needed);

/* ---- truth on a word (eval.c) ---- */

/* The word labels[0 .. n-1], with labels[loop .. n-1] repeated forever. */
typedef struct om_ltl_word {
    const om_label *labels;
    size_t n, loop;
} om_ltl_word;

static inline size_t om_ltl__after(const om_ltl_word *w, size_t i)
{
    assert(i < w->n && w->loop < w->n);
    return i + 1 < w->n ? i + 1 : w->loop;
}

/* Computes the truth (0 or 1, in `to`) of a node at each position from that of its operands. a is
 * NULL if the node has no operand; b equals a if it has one. */
void om_ltl__evaluate(
    const om_ltl_word *w, const om_ltl_node *f, const uint8_t *a, const uint8_t *b, uint8_t *to);

/* ---- names of atomic propositions (ap.c) ---- */

/*
 * Returns the normal form of the name in a text. Backslashes are dropped, and double quotes become
 * single ones. Blanks are removed, except inside quotes and except one blank between two characters
 * that would otherwise read as one word or operator ("a and b", "x < -1"). Idempotent. Returns NULL
 * if memory runs out; "" if nothing is left. The caller frees the result.
 */
char *om_ltl__ap_name(const om_heap *heap, const char *text, size_t length);

/* Returns the AP with a name in the above normal form, adding it if it is new. Returns 0 if memory
 * runs out or there would be more than 64 APs. */
om_ltl_ref om_ltl__intern_ap(om_ltl *l, const char *name);

/* The text of a formula and the reading position. */
typedef struct om_ltl_input {
    const char *text;
    size_t length, at;
    int depth;            /* of brackets within an expression over the model */
    const char *expected; /* the token expected at `at` if reading failed */
    bool psl, until;      /* psl: a word that only PSL has was read; until: an "until", which is */
    size_t until_at;      /* weak in PSL, was read, first at until_at */
} om_ltl_input;

enum { OM_LTL_DEPTH_MOST = 1000 };

/* Skips blanks; returns the character there, or 0 at the end. */
int om_ltl__peek(om_ltl_input *in);
/* Skips an expression over the model; returns false, with in->expected set, if there is none. */
bool om_ltl__skip_expression(om_ltl_input *in);
/* Returns true if the text continues with an operator of arithmetic or comparison. */
bool om_ltl__at_arithmetic(om_ltl_input *in);
/* Returns the length of the word at `at`. A word consists of letters, digits, underscores, and any
 * characters except "/" after a backslash. */
size_t om_ltl__word_length(const om_ltl_input *in, size_t at);
/* Skips "..." or '...'; returns false if it is unterminated. */
bool om_ltl__skip_quoted(om_ltl_input *in);
/* Returns true if the word at in->at is an LTL operator in the place of an operand (F, G, X glued
 * to what follows, as in GFa). F, G, X before a digit or an underscore belong to a name. */
bool om_ltl__at_prefix_letter(const om_ltl_input *in);
/* Skips the text, or the whole word, and returns true if it is next in the input. */
bool om_ltl__take(om_ltl_input *in, const char *s);
bool om_ltl__take_word(om_ltl_input *in, const char *word);

/* A binary operator; operators of higher levels bind more tightly. */
typedef struct om_ltl_binary {
    const char *text;
    om_ltl_op op;
    int level;
    bool right; /* associative to the right */
} om_ltl_binary;

/* Each function skips an operator (operators.c) and returns it. It returns 0 or NULL if there is
 * none, or if the operator is ambiguous; in->expected is set then. */
om_ltl_op om_ltl__take_unary(om_ltl_input *in);
const om_ltl_binary *om_ltl__take_binary(om_ltl_input *in);

/* Returns true if the name begins with a word that is an operator in some spelling ("until",
 * "next==1"). Where words are operators, as in "always until", such a name is not read as one. */
bool om_ltl__begins_with_operator(const char *name);
/* Returns true if the name, written without quotes, reads back as the same name. */
bool om_ltl__plain_name(const char *name);

#endif
