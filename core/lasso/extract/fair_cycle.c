/* SPDX-License-Identifier: Apache-2.0 */
#include "fair_cycle.h"

int om_fair_cycle__open(
    om_fair_cycle *c, const om_heap *heap, const om_fair_processes *fair_processes)
{
    enum { ROWS = 3 };
    *c = (om_fair_cycle){ .heap = heap, .words = om_fair_processes_words(fair_processes) };
    if (c->words == 0)
        return OM_OK;
    c->met = om_alloc(heap, (size_t) ROWS * c->words, sizeof *c->met);
    if (c->met == NULL)
        return OM_ENOMEM;
    c->fair_processes = fair_processes;
    c->must = c->met + c->words;
    c->able = c->must + c->words;
    for (uint32_t i = 0; !fair_processes->strong && i < c->words; i++)
        c->must[i] = om_fair_processes_all(fair_processes, i);
    return OM_OK;
}

void om_fair_cycle__close(om_fair_cycle *c)
{
    om_free(c->heap, c->met);
    *c = (om_fair_cycle){ 0 };
}

size_t om_fair_cycle__lacks(const om_fair_cycle *c)
{
    size_t n = 0;
    for (uint32_t i = 0; c->fair_processes != NULL && i < c->words; i++)
        n += (size_t) __builtin_popcountll(c->must[i] & ~c->met[i]);
    return n;
}

void om_fair_cycle__look(om_fair_cycle *c, const om_step *steps, size_t n)
{
    if (c->fair_processes == NULL)
        return;
    om_fair_processes_enabled(c->fair_processes, steps, n, c->able);
    c->excuses = false;
    for (uint32_t i = 0; !c->fair_processes->strong && i < c->words; i++)
        c->excuses = c->excuses || (c->must[i] & ~c->met[i] & ~c->able[i]) != 0;
}

size_t om_fair_cycle__moves(const om_fair_cycle *c, const om_step *step)
{
    size_t n = 0;
    for (int k = 0;
         c->fair_processes != NULL && k < 2 && step->transition < c->fair_processes->transitions;
         k++) {
        const uint32_t who = c->fair_processes->who[step->transition][k];
        if (who != OM_NONE)
            n += (c->must[who / 64] & ~c->met[who / 64]) >> who % 64 & 1;
    }
    return n;
}

bool om_fair_cycle__helps(const om_fair_cycle *c, const om_step *step)
{
    return c->fair_processes != NULL && (c->excuses || om_fair_cycle__moves(c, step) != 0);
}

void om_fair_cycle__add_state(om_fair_cycle *c)
{
    if (c->fair_processes != NULL)
        om_fair_processes_add_state(c->fair_processes, c->able, c->met, c->must);
}

void om_fair_cycle__add_step(om_fair_cycle *c, const om_step *step)
{
    if (c->fair_processes != NULL)
        om_fair_processes_add_step(c->fair_processes, step->transition, c->met);
}
