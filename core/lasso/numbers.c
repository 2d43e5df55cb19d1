/* SPDX-License-Identifier: Apache-2.0 */
#include "numbers.h"

#include "model.h"

#include <assert.h>

int om_numbers__open(om_numbers *n, const om_heap *heap, const om_model *m)
{
    const uint32_t slots = om_model_slot_count(m), processes = om_model_process_count(m);
    *n = (om_numbers){ .heap = heap, .m = m };
    if (!OM_NEW(heap, n->process_of, (size_t) slots + 1) ||
        !OM_NEW(heap, n->of, (size_t) processes + 1) ||
        !OM_NEW(heap, n->next, (size_t) processes + 1))
        return OM_ENOMEM;
    for (uint32_t s = 0; s < slots; s++)
        n->process_of[s] = OM_NONE;
    for (uint32_t p = 0; p < processes; p++) {
        const uint32_t location = om_model_process(m, p)->location;
        n->of[p] = OM_NONE;
        if (location != OM_NONE &&
            om_slot_get(om_model_slot(m, location), om_model_initial(m), 0) != 0)
            n->of[p] = n->running++;
    }
    for (uint32_t p = processes; p-- > 0;) { /* descending, so that lists are ascending */
        const uint32_t location = om_model_process(m, p)->location;
        if (location == OM_NONE)
            continue;
        const uint32_t assigned = om_model__assigned_slot(m, location);
        n->next[p] = n->process_of[assigned];
        n->process_of[assigned] = p;
    }
    return OM_OK;
}

static void compare(om_numbers *n, uint32_t p, const uint32_t *before, const uint32_t *after)
{
    const om_slot *location = om_model_slot(n->m, om_model_process(n->m, p)->location);
    const bool ran = om_slot_get(location, before, 0) != 0;
    const bool runs = om_slot_get(location, after, 0) != 0;
    if (runs && !ran && n->of[p] == OM_NONE)
        n->of[p] = n->running++;
    if (ran && !runs && n->of[p] != OM_NONE) {
        assert(n->running > 0);
        n->of[p] = OM_NONE;
        n->running--;
    }
}

/* A transition may start several processes, in the order of its assignments. */
void om_numbers__step(
    om_numbers *n, uint32_t transition, const uint32_t *before, const uint32_t *after)
{
    const om_transition *t = om_model_transition(n->m, transition);
    for (uint32_t i = 0; t != NULL && i < t->assign_count; i++)
        for (uint32_t p = n->process_of[t->assigns[i].slot]; p != OM_NONE; p = n->next[p])
            compare(n, p, before, after);
}

void om_numbers__close(om_numbers *n)
{
    if (n->heap != NULL) {
        OM_FREE_ALL(n->heap, n->process_of, n->of, n->next);
    }
    *n = (om_numbers){ 0 };
}
