/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h: a context and the front end, shared by all tests of a program; and macros for small
 * nets. */
#ifndef OMEN_TESTS_PNML_FIXTURE_H
#define OMEN_TESTS_PNML_FIXTURE_H

#include "../dve/explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A P/T net of one page; its objects start in line 4. */
#define NET(OBJECTS)                                                   \
    "<pnml>\n<net id=\"n\" type=\"ptnet\">\n<page id=\"g\">\n" OBJECTS \
    "\n</page>\n</net>\n</pnml>\n"
#define PLACE(ID, TOKENS)                                                           \
    "<place id=\"" ID "\"><initialMarking><text>" TOKENS "</text></initialMarking>" \
    "</place>\n"
#define TRANSITION(ID) "<transition id=\"" ID "\"/>\n"
#define ARC(FROM, TO) "<arc source=\"" FROM "\" target=\"" TO "\"/>\n"
#define WEIGHTED(FROM, TO, WEIGHT)                                          \
    "<arc source=\"" FROM "\" target=\"" TO "\"><inscription><text>" WEIGHT \
    "</text></inscription></arc>\n"

typedef struct fixture {
    om_context *ctx;
    om_registry *registry;
    const om_frontend *pnml;
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
    const om_plugin *p = NULL;
    f = (fixture){ .ctx = NULL };
    if (om_context_new(&f.ctx, NULL) != OM_OK || om_registry_new(&f.registry, f.ctx) != OM_OK ||
        om_registry_find(f.registry, OM_PLUGIN_FRONTEND, "pnml", &p) != OM_OK)
        return -1;
    om_context_on_note(f.ctx, fixture_note, &f);
    f.pnml = (const om_frontend *) (const void *) p;
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

/* Loads a net and returns the status; *out: the model, or NULL. */
static inline int fixture_try(fixture *f, const char *text, size_t length, om_model **out)
{
    *out = NULL;
    om_context_clear(f->ctx);
    f->warnings = 0;
    f->warning[0] = '\0';
    return f->pnml->load(f->ctx, "m.pnml", text, length, NULL, out);
}

/* Loads a valid net. */
static inline om_model *fixture_load(fixture *f, const char *text)
{
    om_model *m = NULL;
    int rc = fixture_try(f, text, strlen(text), &m);
    if (rc != OM_OK)
        print_message("%s\n", om_context_error(f->ctx));
    assert_int_equal(rc, OM_OK);
    return m;
}

/* Returns true if the proposition holds in a reachable state. */
static inline bool fixture_reaches(fixture *f, om_model *m, const char *proposition)
{
    om_expr e = 0;
    bool found = false;
    om_context_clear(f->ctx);
    int rc = f->pnml->expression(m, "AP", proposition, &e);
    if (rc != OM_OK)
        print_message("%s\n", om_context_error(f->ctx));
    assert_int_equal(rc, OM_OK);
    assert_int_equal(dve_reaches(f->ctx, m, e, &found), OM_OK);
    return found;
}

static inline dve_size fixture_explore(fixture *f, om_model *m)
{
    dve_size size;
    assert_int_equal(dve_explore(f->ctx, m, 1000000, &size), OM_OK);
    return size;
}

/* Loads, explores and frees a net; fails the test if a state is a fault. */
static inline dve_size fixture_size(fixture *f, const char *text)
{
    om_model *m = fixture_load(f, text);
    dve_size size = fixture_explore(f, m);
    om_model_free(m);
    assert_int_equal(size.fault, 0);
    return size;
}

#endif
