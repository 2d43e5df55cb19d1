/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h: a context and the front end, shared by all tests of a program. */
#ifndef OMEN_TESTS_DVE_FIXTURE_H
#define OMEN_TESTS_DVE_FIXTURE_H

#include "explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *dve;
    char warning[512]; /* the latest one */
    unsigned warnings;
} fixture;

static inline void fixture_note(void *self, om_note_level level, const char *text)
{
    fixture *f = self;
    if (level != OM_NOTE_WARNING)
        return;
    f->warnings++;
    (void) snprintf(f->warning, sizeof f->warning, "%s", text);
}

static inline int fixture_open(void **state)
{
    static fixture f;
    f = (fixture){ .ctx = NULL };
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK)
        return -1;
    om_context_on_note(f.ctx, fixture_note, &f);
    f.dve = dve_frontend(f.registry);
    *state = &f;
    return f.dve == NULL ? -1 : 0;
}

static inline int fixture_close(void **state)
{
    fixture *f = *state;
    om_registry_free(f->registry);
    om_context_free(f->ctx);
    return 0;
}

/* Loads a valid model. */
static inline om_model *fixture_load(fixture *f, const char *text)
{
    om_model *m = NULL;
    om_context_clear(f->ctx);
    f->warnings = 0;
    f->warning[0] = '\0';
    int rc = f->dve->load(f->ctx, "m.dve", text, strlen(text), NULL, &m);
    if (rc != OM_OK)
        print_message("%s\n", om_context_error(f->ctx));
    assert_int_equal(rc, OM_OK);
    return m;
}

static inline dve_size fixture_explore(fixture *f, om_model *m)
{
    dve_size size;
    assert_int_equal(dve_explore(f->ctx, m, 1000000, &size), OM_OK);
    return size;
}

/* Loads, explores and frees a model; fails the test if a state is a fault. */
static inline dve_size fixture_size(fixture *f, const char *text)
{
    om_model *m = fixture_load(f, text);
    dve_size size = fixture_explore(f, m);
    om_model_free(m);
    assert_int_equal(size.fault, 0);
    return size;
}

/* Returns true if the proposition holds in a reachable state. */
static inline bool fixture_reaches(fixture *f, om_model *m, const char *proposition)
{
    om_expr e = 0;
    bool found = false;
    om_context_clear(f->ctx);
    int rc = f->dve->expression(m, "AP", proposition, &e);
    if (rc != OM_OK)
        print_message("%s\n", om_context_error(f->ctx));
    assert_int_equal(rc, OM_OK);
    assert_int_equal(dve_reaches(f->ctx, m, e, &found), OM_OK);
    return found;
}

#endif
