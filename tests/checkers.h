/* SPDX-License-Identifier: Apache-2.0 */
/* checkers.h: the checkers that need no device and take any automaton, for tests that compare them.
 */
#ifndef OMEN_TESTS_CHECKERS_H
#define OMEN_TESTS_CHECKERS_H

#include <omen/host/registry.h>
#include <omen/plugin/check.h>

#include <assert.h>

enum { CPU_CHECKERS = 64 };

typedef struct cpu_checkers {
    const om_checker *at[CPU_CHECKERS];
    size_t count;
} cpu_checkers;

static inline void cpu_checkers_list(cpu_checkers *to, const om_registry *r)
{
    to->count = 0;
    for (size_t i = 0; i < om_registry_count(r); i++) {
        const om_plugin *p = om_registry_entry(r, i)->plugin;
        if (p == NULL || p->kind != OM_PLUGIN_CHECKER)
            continue;
        const om_checker *c = (const om_checker *) (const void *) p;
        assert(to->count < CPU_CHECKERS);
        if ((c->flags & OM_CHECKER_DEVICE) == 0 && (c->product & OM_PRODUCT_TESTING) == 0)
            to->at[to->count++] = c;
    }
}

/* True if the checker takes every automaton of the planner, converted if necessary. (No automaton
 * is converted to co-Buchi.) */
static inline bool checks_all(const om_checker *c)
{
    return c->strengths == OM_FOR_ALL && c->acceptance != OM_ACCEPT_CO_BUCHI &&
           (c->flags & OM_CHECKER_NEEDS_STUTTER) == 0;
}

#endif
