/* SPDX-License-Identifier: Apache-2.0 */
/* formulas.h: random formulas and words, and a second evaluator, for the tests of LTL. */
#ifndef OMEN_TESTS_FORMULAS_H
#define OMEN_TESTS_FORMULAS_H

#include <omen/plugin/ltl.h>

#include <stdio.h>

static inline om_ltl_ref random_leaf(om_ltl *l, om_random *r, unsigned aps)
{
    char name[16];
    uint64_t i = om_random_below(r, aps + 1);
    if (i == aps)
        return om_ltl_make(l, om_random_below(r, 2) ? OM_LTL_TRUE : OM_LTL_FALSE, 0, 0);
    (void) snprintf(name, sizeof name, "p%u", (unsigned) i);
    return om_ltl_ap_ref(l, name);
}

/* Makes a formula with `size` operators over p0 .. p(aps-1). */
static inline om_ltl_ref random_formula(om_ltl *l, om_random *r, unsigned size, unsigned aps)
{
    static const om_ltl_op ops[] = { OM_LTL_NOT, OM_LTL_NEXT, OM_LTL_FINALLY, OM_LTL_GLOBALLY,
        OM_LTL_AND, OM_LTL_OR, OM_LTL_IMPLIES, OM_LTL_EQUIV, OM_LTL_XOR, OM_LTL_UNTIL,
        OM_LTL_RELEASE, OM_LTL_WEAK_UNTIL, OM_LTL_STRONG_RELEASE };
    if (size == 0)
        return random_leaf(l, r, aps);
    uint64_t i = om_random_below(r, sizeof ops / sizeof *ops);
    if (i < 4)
        return om_ltl_make(l, ops[i], random_formula(l, r, size - 1, aps), 0);
    unsigned left = (unsigned) om_random_below(r, size);
    om_ltl_ref a = random_formula(l, r, left, aps);
    return om_ltl_make(l, ops[i], a, random_formula(l, r, size - 1 - left, aps));
}

/* Makes labels for a lasso of 1 to `most` positions over the given number of APs. */
static inline void random_word(
    om_random *r, unsigned aps, size_t most, om_label *labels, size_t *n, size_t *loop)
{
    uint64_t mask = aps == 64 ? UINT64_MAX : (UINT64_C(1) << aps) - 1;
    *n = 1 + (size_t) om_random_below(r, most);
    *loop = (size_t) om_random_below(r, *n);
    for (size_t i = 0; i < *n; i++)
        labels[i] = om_random_next(r) & mask;
}

/*
 * The textbook semantics with quantifiers over positions. The suffix from i is determined by the
 * positions i .. i + n, which include all later ones.
 */
static inline bool naive_holds(
    const om_ltl *l, om_ltl_ref f, const om_label *labels, size_t n, size_t loop, size_t i)
{
    i = i < n ? i : loop + (i - loop) % (n - loop);
    om_ltl_op op = om_ltl_operator(l, f);
    om_ltl_ref a = om_ltl_left(l, f), b = om_ltl_right(l, f);
#define A(k) naive_holds(l, a, labels, n, loop, (k))
#define B(k) naive_holds(l, b, labels, n, loop, (k))
    switch (op) {
    case OM_LTL_TRUE:
        return true;
    case OM_LTL_FALSE:
        return false;
    case OM_LTL_AP:
        return labels[i] >> a & 1;
    case OM_LTL_NOT:
        return !A(i);
    case OM_LTL_AND:
        return A(i) && B(i);
    case OM_LTL_OR:
        return A(i) || B(i);
    case OM_LTL_IMPLIES:
        return !A(i) || B(i);
    case OM_LTL_EQUIV:
        return A(i) == B(i);
    case OM_LTL_XOR:
        return A(i) != B(i);
    case OM_LTL_NEXT:
        return A(i + 1);
    default:
        break;
    }
    for (size_t k = i; k <= i + n; k++) {
        bool x = A(k), y = b != 0 && B(k);
        if (op == OM_LTL_FINALLY && x)
            return true;
        if (op == OM_LTL_GLOBALLY && !x)
            return false;
        if ((op == OM_LTL_UNTIL || op == OM_LTL_WEAK_UNTIL) && (y || !x))
            return y;
        if ((op == OM_LTL_RELEASE || op == OM_LTL_STRONG_RELEASE) && (!y || x))
            return y;
    }
#undef A
#undef B
    return op == OM_LTL_GLOBALLY || op == OM_LTL_WEAK_UNTIL || op == OM_LTL_RELEASE;
}

#endif
