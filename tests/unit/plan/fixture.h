/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h: a front end that resolves names of slots. */
#ifndef OMEN_TESTS_PLAN_FIXTURE_H
#define OMEN_TESTS_PLAN_FIXTURE_H

#include <omen/host/omen.h>

#include <stdio.h>
#include <string.h>

static inline int fixture_load(om_context *ctx, const char *file, const char *text, size_t length,
    const int64_t *options, om_model **out)
{
    (void) file;
    (void) text;
    (void) length;
    (void) options;
    (void) out;
    return om_fail(ctx, OM_EUNSUPPORTED, NULL, "this front end reads no files");
}

/* Parses NAME or NAME==VALUE. */
static inline int fixture_expression(
    om_model *m, const char *origin, const char *text, om_expr *out)
{
    char name[64];
    size_t n = strcspn(text, "=<");
    (void) snprintf(name, sizeof name, "%.*s", (int) n, text);
    uint32_t slot = om_model_find_slot(m, name);
    if (slot == OM_NONE)
        return om_fail(om_model_context(m), OM_EINPUT, NULL, "%s: no '%s'", origin, name);
    *out = om_expr_slot(m, slot);
    if (text[n] != '\0') {
        int value = 0;
        (void) sscanf(text + n + strspn(text + n, "=<"), "%d", &value);
        *out =
            om_expr_binary(m, text[n] == '<' ? OM_OP_LT : OM_OP_EQ, *out, om_expr_const(m, value));
    }
    return OM_OK;
}

static const char *const fixture_suffixes[] = { ".small", NULL };
static const om_frontend fixture_frontend = {
    .head = OM_PLUGIN_HEAD(om_frontend, OM_PLUGIN_FRONTEND, "fixture", "for tests", NULL, NULL),
    .suffixes = fixture_suffixes,
    .load = fixture_load,
    .expression = fixture_expression
};

#endif
