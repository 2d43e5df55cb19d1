/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltl.h: linear temporal logic over the atomic propositions of a model.
 *
 * An om_ltl is an arena of hash-consed formulas; an om_ltl_ref refers to one of them. Equal
 * formulas have equal references. Only one thread at a time may change an arena.
 */
#ifndef OMEN_LTL_H
#define OMEN_LTL_H

#include <omen/plugin/automaton.h>
#include <omen/plugin/base.h>

typedef struct om_ltl om_ltl;
typedef uint32_t om_ltl_ref; /* 0: none (out of memory) */

typedef enum om_ltl_op {
    OM_LTL_TRUE = 1,
    OM_LTL_FALSE,
    OM_LTL_AP, /* a: index of the AP */
    OM_LTL_NOT,
    OM_LTL_AND,
    OM_LTL_OR,
    OM_LTL_IMPLIES,
    OM_LTL_EQUIV,
    OM_LTL_XOR,
    OM_LTL_NEXT,
    OM_LTL_FINALLY,
    OM_LTL_GLOBALLY,
    OM_LTL_UNTIL,
    OM_LTL_RELEASE,
    OM_LTL_WEAK_UNTIL,
    OM_LTL_STRONG_RELEASE
} om_ltl_op;

/* Creates an empty arena; the context must outlive it. */
OM_API int om_ltl_new(om_ltl **out, om_context *ctx);
OM_API void om_ltl_free(om_ltl *l);

/*
 * Parses a formula: ! & | -> <-> ^ X F G U R W M, also [] <> && || ~ /\ \/ V and the words of SPIN
 * and PSL: always eventually next until stronguntil weakuntil release implies equivalent xor, and
 * eventually! next! until!; true false 0 1. They may be mixed, and an operator has the same
 * precedence in every spelling. Precedence, from low to high: -> <->, then ^, |, &, U R W M, unary
 * operators; -> <-> U R W M associate to the right. "until" is strong, as in SPIN; it is refused in
 * a formula with words that only PSL has, because it is weak in PSL. An AP is an expression over
 * the model, optionally quoted as a whole: P_0.CS, x+y<=3, P_1=="CS", Slot[my]==1; brackets and
 * dots may be escaped by a backslash. `file` names the source in messages.
 *
 * Unquoted names do not begin with F, G or X (GFa is G F a) unless a digit or an underscore
 * follows; "->" is always the logical operator, so P->v needs quotes. The name of an AP is its text
 * without backslashes and redundant blanks, and with single quotes in place of double ones: P_1 ==
 * "CS" has the name P_1=='CS'.
 */
OM_API int om_ltl_parse(
    om_ltl *l, const char *file, const char *text, size_t length, om_ltl_ref *out);

/* Each makes a formula; 0 if memory runs out (and for operands that do not exist, more than 64 APs,
 * or an empty name). b is 0 for unary operators. Names are normalised as by om_ltl_parse(). */
OM_API om_ltl_ref om_ltl_make(om_ltl *l, om_ltl_op op, om_ltl_ref a, om_ltl_ref b);
OM_API om_ltl_ref om_ltl_ap_ref(om_ltl *l, const char *name);

OM_API om_ltl_op om_ltl_operator(const om_ltl *l, om_ltl_ref f);
OM_API om_ltl_ref om_ltl_left(const om_ltl *l, om_ltl_ref f); /* AP: its index */
OM_API om_ltl_ref om_ltl_right(const om_ltl *l, om_ltl_ref f);
OM_API uint32_t om_ltl_ap_count(const om_ltl *l); /* of the arena; at most 64 */
OM_API const char *om_ltl_ap_name(const om_ltl *l, uint32_t i);
/* The position of the first occurrence read by om_ltl_parse(), counted from 1; 0 for APs made
 * otherwise. */
OM_API void om_ltl_ap_place(const om_ltl *l, uint32_t i, uint32_t *line, uint32_t *column);

/* Returns the negation normal form of the formula, or of its negation if `negated`, over AP, !AP,
 * true, false, &, |, X, U, R (W, M, F, G only if `sugar`); with trivial simplifications. */
OM_API om_ltl_ref om_ltl_nnf(om_ltl *l, om_ltl_ref f, bool negated, bool sugar);

/* Appends the formula in a form that om_ltl_parse() reads. */
OM_API int om_ltl_print(const om_ltl *l, om_ltl_ref f, om_text *out);

/* Spelling of operators: letters and symbols; SPIN's ([] <> V); PSL's words (always, eventually!,
 * next!, until!). */
typedef enum om_ltl_spelling {
    OM_LTL_OMEN,
    OM_LTL_SPIN,
    OM_LTL_PSL,
    OM_LTL_SPELLINGS
} om_ltl_spelling;

/* "omen", "spin", "psl"; NULL for any other value. */
OM_API const char *om_ltl_spelling_name(om_ltl_spelling spelling);

/*
 * Appends the formula in a spelling; om_ltl_parse() reads it as an equivalent formula (for
 * OM_LTL_OMEN, as the same formula). An operator that the spelling lacks is rewritten: for PSL, M
 * and R with their duals and ^ with <->; for SPIN (whose -f does not know W), W and M with V and U,
 * which repeats their right operand. Binary operands of binary operators are in parentheses,
 * because SPIN's precedence differs from omen's. An AP that is not a plain name is in parentheses
 * if it is a relation, otherwise in quotes, which those languages do not have. OM_EINVAL;
 * OM_ENOMEM; OM_ELIMIT if the text would exceed 1 MB.
 */
OM_API int om_ltl_print_as(const om_ltl *l, om_ltl_ref f, om_ltl_spelling spelling, om_text *out);

/* Sets *holds to the truth of f at position 0 of the word labels[0 .. n-1] with labels[loop .. n-1]
 * repeated for ever; loop < n. Computed by fixpoints over the n positions, so that it shares no
 * code with translations to automata. */
OM_API int om_ltl_holds_on_lasso(
    const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop, bool *holds);

#endif
