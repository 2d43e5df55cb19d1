/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h: a context and the front end, shared by all tests of a program. */
#ifndef OMEN_TESTS_PROMELA_FIXTURE_H
#define OMEN_TESTS_PROMELA_FIXTURE_H

#include <omen/host/load.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *promela;
} fixture;

static inline int fixture_open(void **state)
{
    static fixture f;
    const om_plugin *p = NULL;
    f = (fixture){ .ctx = NULL };
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_FRONTEND, "promela", &p) != OM_OK)
        return -1;
    f.promela = (const om_frontend *) (const void *) p;
    *state = &f;
    return 0;
}

static inline int fixture_close(void **state)
{
    fixture *f = *state;
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

#endif
