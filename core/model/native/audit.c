/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler may be wrong (native_compile.c describes a case), and a wrong successor function
 * causes wrong verdicts. So native code is compared with the vm before it is trusted: on some walks
 * from the initial state that prefer transitions not taken yet, comparing everything. The referee
 * checks every counterexample with the vm in any case; this check is for answers without a
 * counterexample.
 */
#include "audit.h"

#include <string.h>

enum { STEPS = 512, WALK = 128 };

typedef struct auditor {
    const om_executor *x, *reference;
    om_successors by_x, by_reference;
    uint32_t *state;
    uint32_t *taken; /* per transition */
} auditor;

static bool same_labels(const auditor *a)
{
    om_fault by_x = 0, by_reference = 0;
    uint64_t l = a->x->labels(a->x, a->state, &by_x),
             k = a->reference->labels(a->reference, a->state, &by_reference);
    return l == k && by_x == by_reference;
}

static bool same_successors(const auditor *a)
{
    size_t n = a->by_reference.count;
    if (a->by_x.fault != a->by_reference.fault || a->by_x.overflows != a->by_reference.overflows)
        return false;
    return a->by_reference.fault != 0 ||
           (a->by_x.count == n &&
               (n == 0 || (memcmp(a->by_x.transition, a->by_reference.transition,
                               n * sizeof(uint32_t)) == 0 &&
                              memcmp(a->by_x.words, a->by_reference.words,
                                  n * a->reference->words * sizeof(uint32_t)) == 0)));
}

/* Moves to the successor by the transition taken least often, or back to the initial state. */
static void step(auditor *a, unsigned at)
{
    size_t n = a->by_reference.fault != 0 ? 0 : a->by_reference.count, best = 0;
    if (n == 0 || at % WALK == WALK - 1) {
        a->reference->initial(a->reference, a->state);
        return;
    }
    for (size_t i = 1; i < n; i++)
        if (a->taken[a->by_reference.transition[i]] < a->taken[a->by_reference.transition[best]])
            best = i;
    a->taken[a->by_reference.transition[best]]++;
    memcpy(a->state, a->by_reference.words + best * a->reference->words,
        a->reference->words * sizeof *a->state);
}

static int walk(auditor *a, bool *agrees)
{
    a->reference->initial(a->reference, a->state);
    *agrees = true;
    for (unsigned i = 0; i < STEPS && *agrees; i++) {
        int rc = om_executor_successors(a->reference, a->state, &a->by_reference);
        if (rc == OM_OK)
            rc = om_executor_successors(a->x, a->state, &a->by_x);
        if (rc != OM_OK)
            return rc;
        *agrees = same_labels(a) && same_successors(a);
        step(a, i);
    }
    return OM_OK;
}

int om_audit__compare(
    const om_model *m, const om_executor *x, const om_executor *reference, bool *agrees)
{
    auditor a = { .x = x,
        .reference = reference,
        .by_x = { .heap = m->heap },
        .by_reference = { .heap = m->heap } };
    int rc =
        OM_NEW(m->heap, a.state, x->words) && OM_NEW(m->heap, a.taken, om_model_transition_count(m))
            ? walk(&a, agrees)
            : OM_ENOMEM;
    om_successors_free(&a.by_x);
    om_successors_free(&a.by_reference);
    OM_FREE_ALL(m->heap, a.state, a.taken);
    return rc;
}
