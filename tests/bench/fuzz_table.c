/* SPDX-License-Identifier: Apache-2.0 */
/* All tables that can be read can be shown; for all others there is an error message. */
#include "report/page.h"
#include "report/plot.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(om_context *ctx, const bench_table *t)
{
    if (t->suite == NULL || ((t->column_count == 0 || t->row_count == 0) && t->members.count == 0))
        abort();
    for (size_t i = 0; i < t->column_count; i++) {
        const bench_column *c = &t->columns[i];
        const bench_scope scope = { { t->rows[0].variables, t->variables, NULL, NULL } };
        for (size_t k = 0; k < c->command.count; k++) {
            om_text text = { .heap = om_heap_default() };
            (void) bench_expand(ctx, &scope, &c->place, c->command.words[k], &text);
            om_text_free(&text);
            om_context_clear(ctx);
        }
    }
}

/* Makes the report and the page of the table without measurements. */
static void show(om_context *ctx, bench_table *t)
{
    om_text out = { .heap = om_heap_default() }, data = out, script = out;
    bench_results r;
    const bench_page_part part = { &r, NULL, NULL };
    if (t->members.count != 0 || t->row_count * t->column_count > 10000)
        return;
    if (bench_results_new(&r, ctx, t, 1) != OM_OK ||
        bench_put_page(&(bench_page){ "page", t->notes, &part, 1, NULL }, ctx, &out) != OM_OK)
        abort();
    for (size_t i = 0; i < t->view_count; i++)
        if (bench_put_plot(&r, ctx, &t->views[i], "name", &data, &script) != OM_OK ||
            script.length != 0)
            abort();
    om_text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    om_context *ctx = NULL;
    bench_table t = { 0 };
    if (om_context_new(&ctx, NULL) != OM_OK)
        abort();
    if (bench_table_parse(&t, ctx, "fuzz", (const char *) data, size) == OM_OK) {
        look(ctx, &t);
        show(ctx, &t);
    } else if (om_context_error(ctx)[0] == '\0')
        abort();
    bench_table_free(&t);
    om_context_free(ctx);
    return 0;
}
