/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hoa_properties.c: checks the redundant items of the header, acc-name: and some of properties:,
 * against the automaton. The reader does not depend on them, but other programs may, and the author
 * may rely on them: a false one gets a warning. A check that would take long is skipped.
 */
#include "hoa.h"

#include <string.h>

enum {
    MOST_STEPS = 1 << 22, /* literals evaluated for acc-name:, pairs of cubes compared */
    MOST_CUBES = 1024     /* of a state, for which coverage of all labels is checked */
};

/* ---- acc-name: ---- */

static bool has(om_marks marks, uint64_t set)
{
    return set < OM_MAX_SETS && (marks >> set & 1) != 0;
}

/* The conditions as functions of the sets that a run sees infinitely often, defined as in the
 * format's section "Canonical acceptance specifications". */

static bool all(const om_hoa_acc_name *n, om_marks inf)
{
    (void) n;
    (void) inf;
    return true;
}

static bool none(const om_hoa_acc_name *n, om_marks inf)
{
    return !all(n, inf);
}

static bool buchi(const om_hoa_acc_name *n, om_marks inf)
{
    (void) n;
    return has(inf, 0);
}

static bool co_buchi(const om_hoa_acc_name *n, om_marks inf)
{
    return !buchi(n, inf);
}

static bool generalized_buchi(const om_hoa_acc_name *n, om_marks inf)
{
    for (uint64_t i = 0; i < n->numbers[0]; i++)
        if (!has(inf, i))
            return false;
    return true;
}

static bool generalized_co_buchi(const om_hoa_acc_name *n, om_marks inf)
{
    return !generalized_buchi(n, inf);
}

/* Fin(0) & Inf(1) | Fin(2) & Inf(3) | ... */
static bool rabin(const om_hoa_acc_name *n, om_marks inf)
{
    for (uint64_t i = 0; i < n->numbers[0]; i++)
        if (!has(inf, 2 * i) && has(inf, 2 * i + 1))
            return true;
    return false;
}

/* (Fin(0) | Inf(1)) & (Fin(2) | Inf(3)) & ... */
static bool streett(const om_hoa_acc_name *n, om_marks inf)
{
    for (uint64_t i = 0; i < n->numbers[0]; i++)
        if (has(inf, 2 * i) && !has(inf, 2 * i + 1))
            return false;
    return true;
}

/* Each pair has one Fin, and as many Inf as its parameter says. */
static bool generalized_rabin(const om_hoa_acc_name *n, om_marks inf)
{
    uint64_t set = 0;
    for (uint64_t i = 1; i <= n->numbers[0]; i++) {
        bool good = !has(inf, set++);
        for (uint64_t k = 0; k < n->numbers[i]; k++)
            good = has(inf, set++) && good;
        if (good)
            return true;
    }
    return false;
}

static bool says(const om_hoa_token *t, const char *word)
{
    return t->length == strlen(word) && memcmp(t->text, word, t->length) == 0;
}

/* The least or the greatest set seen decides. If no set is seen, the least is the number of sets,
 * and the greatest is -1. */
static bool parity(const om_hoa_acc_name *n, om_marks inf)
{
    bool greatest = says(&n->words[1], "max"), odd = says(&n->words[2], "odd");
    uint64_t count = n->numbers[0], decides = greatest ? UINT64_MAX : count;
    for (uint64_t i = 0; i < count; i++)
        if (has(inf, i)) {
            decides = i;
            if (!greatest)
                break;
        }
    return (decides % 2 != 0) == odd;
}

typedef bool om_hoa_condition(const om_hoa_acc_name *n, om_marks inf);

/* Returns the condition with this name; NULL if it is unknown or the parameters do not fit it. */
static om_hoa_condition *condition_of(const om_hoa_acc_name *n)
{
    static const struct {
        const char *name;
        size_t words, numbers;
        om_hoa_condition *holds;
    } known[] = { { "all", 1, 0, all }, { "none", 1, 0, none }, { "Buchi", 1, 0, buchi },
        { "co-Buchi", 1, 0, co_buchi }, { "generalized-Buchi", 1, 1, generalized_buchi },
        { "generalized-co-Buchi", 1, 1, generalized_co_buchi }, { "Rabin", 1, 1, rabin },
        { "Streett", 1, 1, streett }, { "generalized-Rabin", 1, 1, generalized_rabin },
        { "parity", 3, 1, parity } };
    for (size_t i = 0; i < n->number_count; i++)
        if (n->numbers[i] > OM_MAX_SETS)
            return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool pairs = known[i].holds == generalized_rabin && n->number_count > 0;
        size_t numbers = pairs ? 1 + (size_t) n->numbers[0] : known[i].numbers;
        if (n->strange || !says(&n->words[0], known[i].name) || n->word_count != known[i].words ||
            n->number_count != numbers)
            continue;
        if (known[i].holds != parity ||
            ((says(&n->words[1], "min") || says(&n->words[1], "max")) &&
                (says(&n->words[2], "odd") || says(&n->words[2], "even"))))
            return known[i].holds;
    }
    return NULL;
}

/* Appends, for example, "0, 2 and no other". */
static void put_sets(om_marks marks, om_text *out)
{
    const char *between = "";
    for (uint32_t i = 0; i < OM_MAX_SETS; i++)
        if (has(marks, i)) {
            om_text_printf(out, "%s%u", between, i);
            between = ", ";
        }
    om_text_add(out, marks == 0 ? "none" : " and no others");
}

/* Warns if the formula differs from the condition that its name stands for. Compares them on all
 * sets of marks if these are few, else on a random sample: a difference found is always real. */
static int check_acc_name(om_hoa_reader *r)
{
    const om_automaton *a = r->out;
    om_hoa_condition *condition = condition_of(&r->acc_name);
    uint64_t trials = 1 + MOST_STEPS / (a->acc_length + OM_MAX_SETS);
    bool few = a->sets < 32 && UINT64_C(1) << a->sets <= trials;
    om_random random = { 0 };
    /* If sets were complemented, the marks differ from those of the text. */
    if (condition == NULL || r->complemented != 0)
        return OM_OK;
    for (uint64_t i = 0; i < (few ? UINT64_C(1) << a->sets : trials); i++) {
        om_marks marks = few ? i : om_random_next(&random) & om_tela__first_bits(a->sets);
        if (condition(&r->acc_name, marks) == om_automaton_accepts_marks(a, marks))
            continue;
        om_text sets = { .heap = r->heap };
        put_sets(marks, &sets);
        if (!sets.failed)
            om_note(r->ctx, OM_NOTE_WARNING, om_hoa__at(r, &r->acc_name.words[0]),
                "this contradicts \"Acceptance:\", which is used: they differ on runs that see "
                "these sets infinitely often: %s",
                sets.text);
        bool failed = sets.failed;
        om_text_free(&sets);
        return failed ? om_fail_memory(r->ctx) : OM_OK;
    }
    return OM_OK;
}

/* ---- properties: ---- */

static void add_warning(
    om_hoa_reader *r, om_hoa_property property, uint32_t state, const char *what)
{
    om_note(r->ctx, OM_NOTE_WARNING, om_hoa__at(r, &r->declarations[property]),
        "the automaton is not %s: state %u %s", om_hoa__property_names[property], state, what);
}

static bool disjoint(const om_automaton *a, const om_edge *x, const om_edge *y)
{
    for (uint32_t i = 0; i < x->cube_count; i++)
        for (uint32_t k = 0; k < y->cube_count; k++) {
            om_cube p = a->cubes[x->cube_begin + i], q = a->cubes[y->cube_begin + k];
            if (((p.pos & q.neg) | (p.neg & q.pos)) == 0)
                return false;
        }
    return true;
}

static void check_deterministic(om_hoa_reader *r)
{
    const om_automaton *a = r->out;
    uint64_t steps = 0;
    if (a->initial_count > 1) {
        om_note(r->ctx, OM_NOTE_WARNING, om_hoa__at(r, &r->declarations[OM_HOA_DETERMINISTIC]),
            "the automaton is not deterministic: it has %zu initial states", a->initial_count);
        return;
    }
    for (uint32_t s = 0; s < a->states; s++)
        for (uint32_t i = a->first[s]; i < a->first[s + 1]; i++)
            for (uint32_t k = a->first[s]; k < i; k++) {
                steps += (uint64_t) a->edges[i].cube_count * a->edges[k].cube_count + 1;
                if (steps > MOST_STEPS)
                    return;
                if (!disjoint(a, &a->edges[i], &a->edges[k])) {
                    add_warning(r, OM_HOA_DETERMINISTIC, s, "has two edges for one valuation");
                    return;
                }
            }
}

/* The cubes of a state's edges are contiguous because the body defines each state in one piece. */
static int check_complete(om_hoa_reader *r)
{
    const om_automaton *a = r->out;
    for (uint32_t s = 0; s < a->states; s++) {
        size_t count = 0;
        bool covered = false;
        for (uint32_t i = a->first[s]; i < a->first[s + 1]; i++)
            count += a->edges[i].cube_count;
        if (count > MOST_CUBES)
            return OM_OK;
        int rc = count == 0 ? OM_OK
                            : om_cubes__cover(r->ctx, &a->cubes[a->edges[a->first[s]].cube_begin],
                                  count, &covered);
        if (rc != OM_OK)
            return rc;
        if (!covered) {
            add_warning(r, OM_HOA_COMPLETE, s, "has no edge for some valuation");
            return OM_OK;
        }
    }
    return OM_OK;
}

static void check_state_acc(om_hoa_reader *r)
{
    const om_automaton *a = r->out;
    for (uint32_t s = 0; s < a->states; s++)
        for (uint32_t i = a->first[s]; i < a->first[s + 1]; i++)
            if (a->edges[i].marks != a->edges[a->first[s]].marks) {
                add_warning(r, OM_HOA_STATE_ACC, s, "has edges in different acceptance sets");
                return;
            }
}

int om_hoa__check_properties(om_hoa_reader *r)
{
    int rc = OM_OK;
    if ((r->seen & OM_HOA_SEEN_ACC_NAME) != 0)
        rc = check_acc_name(r);
    if (r->declared[OM_HOA_DETERMINISTIC])
        check_deterministic(r);
    if (rc == OM_OK && r->declared[OM_HOA_COMPLETE])
        rc = check_complete(r);
    if (r->declared[OM_HOA_STATE_ACC])
        check_state_acc(r);
    if (r->declared[OM_HOA_TRANS_ACC] && r->marked_state != OM_NONE)
        add_warning(r, OM_HOA_TRANS_ACC, r->marked_state, "is in an acceptance set itself");
    return rc;
}
