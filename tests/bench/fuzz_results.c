/* SPDX-License-Identifier: Apache-2.0 */
/* All results that can be read are written, and read back unchanged. */
#include "report/page.h"
#include "report/plot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char table[] = "suite s\nrounds 2\nbaseline b\ncolumn a\n command x\ncolumn b\n"
                            " command y\n agree a 1\nrow r\nrow q\ntarget t every cpu b/a >= 1\n"
                            "view v w\n percent cpu a\n of b\n by k\n plot bars\n"
                            "view u w\n sum cpu\n of a b\n plot scatter\n";

static void require(bool c)
{
    if (!c)
        abort();
}

static void make(om_context *ctx, bench_table *t, bench_results *r)
{
    require(bench_table_parse(t, ctx, "t", table, strlen(table)) == OM_OK);
    require(bench_results_new(r, ctx, t, 2) == OM_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    om_context *ctx = NULL;
    bench_table t = { 0 }, u = { 0 };
    bench_results r, s;
    om_text out = { .heap = om_heap_default() }, again = { .heap = out.heap };

    require(om_context_new(&ctx, NULL) == OM_OK);
    make(ctx, &t, &r);
    make(ctx, &u, &s);
    if (bench_read_csv(&r, ctx, "fuzz", (const char *) data, size) == OM_OK) {
        bench_put_csv(&r, &out);
        require(!out.failed && bench_read_csv(&s, ctx, "again", out.text, out.length) == OM_OK);
        bench_put_csv(&s, &again);
        require(strcmp(out.text, again.text) == 0);
        om_text_free(&out);
        require(bench_put_report(&r, ctx, NULL, true, &out) == OM_OK);
        const bench_page_part part = { &r, NULL, NULL };
        require(bench_put_page(&(bench_page){ "p", NULL, &part, 1, NULL }, ctx, &out) == OM_OK);
        for (size_t i = 0; i < t.view_count; i++)
            require(bench_put_plot(&r, ctx, &t.views[i], "n", &out, &again) == OM_OK);
    } else
        require(om_context_error(ctx)[0] != '\0');
    om_text_free(&out);
    om_text_free(&again);
    bench_table_free(&t);
    bench_table_free(&u);
    om_context_free(ctx);
    return 0;
}
