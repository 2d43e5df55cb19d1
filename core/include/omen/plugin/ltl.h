/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltl.h: linear temporal logic over the atomic propositions of a model.
 *
 * An om_ltl is an arena of hash-consed formulas; an om_ltl_ref names one of them. Equal formulas
 * have equal references. One thread changes an arena at a time.
 */
#ifndef OMEN_LTL_H
#define OMEN_LTL_H

#include <omen/plugin/automaton.h>
#include <omen/plugin/base.h>

typedef struct om_ltl om_ltl;
typedef uint32_t om_ltl_ref; /* 0: none (memory was out) */

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

/* An empty arena; the context must outlive it. */
OM_API int om_ltl_new(om_ltl **out, om_context *ctx);
OM_API void om_ltl_free(om_ltl *l);

/*
 * Reads a formula: ! & | -> <-> ^ X F G U R W M, also [] <> && || ~ /\ \/ V and the words of SPIN
 * and PSL: always eventually next until stronguntil weakuntil release implies equivalent xor, and
 * eventually! next! until!; true false 0 1. All may be mixed, and bind the same however they are
 * written: loosest -> <->, then ^, |, &, U R W M, the unary ones; -> <-> U R W M group to the
 * right. "until" is strong as in SPIN, and refused beside words that are PSL's alone, where it is
 * weak. An AP is an expression over the model, quoted whole or not: P_0.CS, x+y<=3, P_1=="CS",
 * Slot[my]==1, with brackets and dots escaped by a backslash or not. `file` names the origin in
 * messages.
 *
 * Unquoted names do not start with F, G or X (GFa is G F a) unless a digit or an underscore
 * follows;
 * "->" is always logic, so P->v needs quotes. An AP's name is its text without backslashes and
 * needless blanks, and with single quotes for double ones: P_1 == "CS" is called P_1=='CS'.
 */
OM_API int om_ltl_parse(
    om_ltl *l, const char *file, const char *text, size_t length, om_ltl_ref *out);

/* New formulas; 0 when memory is out (and for operands that do not exist, more than 64 APs, an
 * empty name). b is 0 for unary operators. Names become as om_ltl_parse() has them. */
OM_API om_ltl_ref om_ltl_make(om_ltl *l, om_ltl_op op, om_ltl_ref a, om_ltl_ref b);
OM_API om_ltl_ref om_ltl_ap_ref(om_ltl *l, const char *name);

OM_API om_ltl_op om_ltl_operator(const om_ltl *l, om_ltl_ref f);
OM_API om_ltl_ref om_ltl_left(const om_ltl *l, om_ltl_ref f); /* AP: its index */
OM_API om_ltl_ref om_ltl_right(const om_ltl *l, om_ltl_ref f);
OM_API uint32_t om_ltl_ap_count(const om_ltl *l); /* of the arena; at most 64 */
OM_API const char *om_ltl_ap_name(const om_ltl *l, uint32_t i);
/* Where om_ltl_parse() first met it, from 1 on; 0 for one that was made otherwise. */
OM_API void om_ltl_ap_place(const om_ltl *l, uint32_t i, uint32_t *line, uint32_t *column);

/* Negation normal form over AP, !AP, true, false, &, |, X, U, R (W, M, F, G only where `sugar`), of
 * the formula or, where `negated`, of its negation; with trivial simplifications. */
OM_API om_ltl_ref om_ltl_nnf(om_ltl *l, om_ltl_ref f, bool negated, bool sugar);

/* Prints so that om_ltl_parse() reads it back. */
OM_API int om_ltl_print(const om_ltl *l, om_ltl_ref f, om_text *out);

/* How operators are written: with letters and signs; as SPIN has them ([] <> V); with PSL's words
 * (always, eventually!, next!, until!). */
typedef enum om_ltl_spelling {
    OM_LTL_OMEN,
    OM_LTL_SPIN,
    OM_LTL_PSL,
    OM_LTL_SPELLINGS
} om_ltl_spelling;

/* "omen", "spin", "psl"; NULL for what is none. */
OM_API const char *om_ltl_spelling_name(om_ltl_spelling spelling);

/*
 * Prints in a spelling; om_ltl_parse() reads back a formula that means the same (of OM_LTL_OMEN,
 * the same one). What a spelling has no operator for is written with others: M and R of PSL with
 * their duals, ^ with <->; W and M of SPIN (whose -f knows no W) with V and U, and their right
 * operand twice. Operands of two operands are bracketed, for SPIN groups otherwise than we do. APs
 * that are no plain names are in brackets where they are relations, else in quotes, which those
 * languages do not know. OM_EINVAL; OM_ENOMEM; OM_ELIMIT where the text would pass 1 MB.
 */
OM_API int om_ltl_print_as(const om_ltl *l, om_ltl_ref f, om_ltl_spelling spelling, om_text *out);

/* Truth at position 0 of labels[0 .. n-1] with labels[loop .. n-1] repeated for ever; loop < n. By
 * fixpoints over the n positions, so it shares nothing with any translation to automata. */
OM_API int om_ltl_holds_on_lasso(
    const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop, bool *holds);

#endif
