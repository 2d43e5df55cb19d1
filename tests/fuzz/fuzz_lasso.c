/* SPDX-License-Identifier: Apache-2.0 */
/* A lasso that can be read is unchanged after writing and reading, and can be refereed. */
#include <omen/host/lasso.h>

#include "unit/lasso/small_model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool c)
{
    if (!c)
        abort();
}

/* Writing loses nothing of what was read. */
static void round_trip(om_context *ctx, om_model *m, const om_lasso *l, const char *property)
{
    om_text out = { .heap = om_heap_default() };
    om_lasso again = { 0 };
    char *about = NULL;
    require(om_lasso_write(l, m, "json", &(om_lasso_style){ .property = property }, &out) == OM_OK);
    require(om_lasso_read(&again, ctx, m, "again", out.text, out.length, &about) == OM_OK);
    require(again.count == l->count && again.loop == l->loop && again.words == l->words);
    require(memcmp(again.vectors, l->vectors, l->count * l->words * sizeof *l->vectors) == 0);
    require(memcmp(again.transitions, l->transitions, l->count * sizeof *l->transitions) == 0);
    require((about == NULL) == (property == NULL));
    require(again.form.reset_dead == l->form.reset_dead);
    require(again.form.overflow == l->form.overflow);
    om_text_free(&out);
    require(om_lasso_write(l, m, "txt", NULL, &out) == OM_OK);
    om_free(om_heap_default(), about);
    om_text_free(&out);
    om_lasso_free(&again);
}

/* Without a model: the lasso can be written in every format, and is unchanged after writing and
 * reading. */
static void alone(om_context *ctx, const char *text, size_t size)
{
    om_model *m = NULL;
    om_lasso l = { 0 };
    char *property = NULL;
    size_t count;
    const char *const *formats = om_lasso_formats(&count);
    om_context_clear(ctx);
    if (om_lasso_read_alone(&l, &m, ctx, "fuzz", text, size, &property) == OM_OK) {
        round_trip(ctx, m, &l, property);
        for (size_t i = 0; i < count; i++) {
            om_text out = { .heap = om_heap_default() };
            require(om_lasso_write(&l, m, formats[i], NULL, &out) == OM_OK);
            om_text_free(&out);
        }
    } else
        require(om_context_error(ctx)[0] != '\0');
    om_free(om_heap_default(), property);
    om_lasso_free(&l);
    om_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    om_context *ctx = NULL;
    om_model *m = NULL;
    small_slots slots;
    om_lasso l = { 0 };
    char *property = NULL;

    require(om_context_new(&ctx, NULL) == OM_OK && small_model(ctx, &m, &slots) == OM_OK);
    if (om_lasso_read(&l, ctx, m, "fuzz", (const char *) data, size, &property) == OM_OK) {
        const om_obligation obligation = { .model = m, .deadlock = true };
        round_trip(ctx, m, &l, property);
        int rc = om_lasso_replay(ctx, &l, &obligation);
        require(rc == OM_OK || rc == OM_EINPUT);
    } else
        require(om_context_error(ctx)[0] != '\0');
    om_free(om_heap_default(), property);
    om_lasso_free(&l);
    om_model_free(m);
    alone(ctx, (const char *) data, size);
    om_context_free(ctx);
    return 0;
}
