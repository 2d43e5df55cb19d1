/* SPDX-License-Identifier: Apache-2.0 */
#include <omen/host/omen.h>

#include "heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void ships_what_the_readme_says(void **state)
{
    (void) state;
    static const struct {
        om_plugin_kind kind;
        const char *name;
    } expected[] = {
        { OM_PLUGIN_FRONTEND, "dve" },
        { OM_PLUGIN_TRANSLATOR, "builtin" },
        { OM_PLUGIN_CHECKER, "reach" },
        { OM_PLUGIN_CHECKER, "reach-cl" },
        { OM_PLUGIN_CHECKER, "weak-swarm" },
        { OM_PLUGIN_CHECKER, "weak-hybrid" },
        { OM_PLUGIN_CHECKER, "weak-cl" },
        { OM_PLUGIN_CHECKER, "dijkstra" },
        { OM_PLUGIN_CHECKER, "ufscc" },
    };
    om_context *ctx = NULL;
    om_registry *r = NULL;
    const om_plugin *p = NULL;
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_registry_new(&r, ctx), OM_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(om_registry_find(r, expected[i].kind, expected[i].name, &p), OM_OK);
        assert_string_equal(p->name, expected[i].name);
    }
    assert_int_equal(om_registry_find(r, OM_PLUGIN_CHECKER, "dijkstar", &p), OM_EUSAGE);
    assert_non_null(strstr(om_context_error(ctx), "did you mean 'dijkstra'?"));
    om_context_clear(ctx);
    assert_int_equal(om_registry_find(r, OM_PLUGIN_TRANSLATOR, "dijkstra", &p), OM_EUSAGE);
    om_registry_free(r);
    om_context_free(ctx);
}

static void broken_ones_are_listed(void **state)
{
    (void) state;
    char folder[] = "/tmp/omen-plugin-XXXXXX", path[64];
    om_context *ctx = NULL;
    om_registry *r = NULL;
    assert_non_null(mkdtemp(folder));
    (void) snprintf(path, sizeof path, "%s/text.so", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs("not a library", f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(om_context_new(&ctx, NULL), OM_OK);
    assert_int_equal(om_registry_new(&r, ctx), OM_OK);
    size_t before = om_registry_count(r);
    assert_int_equal(om_registry_add(r, path), OM_OK);
    assert_int_equal(om_registry_count(r), before + 1);
    const om_plugin_entry *e = om_registry_entry(r, before);
    assert_null(e->plugin);
    assert_string_equal(e->path, path);
    assert_non_null(strstr(e->reason, "cannot be opened"));
    /* A plug-in that is already registered is shadowed. */
    assert_int_equal(om_registry_add(r, om_registry_entry(r, 0)->path), OM_OK);
    assert_non_null(strstr(om_registry_entry(r, before + 1)->reason, "shadowed by"));
    assert_null(om_registry_entry(r, before + 2));
    om_registry_free(r);
    om_context_free(ctx);
    (void) unlink(path);
    (void) rmdir(folder);
}

static void every_allocation_may_fail(void **state)
{
    bool failed = true;
    (void) state;
    for (size_t n = 0; failed; n++) {
        test_heap h;
        om_context *ctx = NULL;
        om_registry *r = NULL;
        test_heap_init(&h, n);
        int rc = om_context_new(&ctx, &h.heap);
        if (rc == OM_OK)
            rc = om_registry_new(&r, ctx);
        if (rc == OM_OK)
            assert_true(om_registry_count(r) > 0);
        else
            assert_null(r);
        /* The cache tolerates lack of memory. */
        failed = n < h.calls;
        assert_true(rc == OM_OK || (rc == OM_ENOMEM && failed));
        om_registry_free(r);
        om_context_free(ctx);
        assert_int_equal(h.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ships_what_the_readme_says),
        cmocka_unit_test(broken_ones_are_listed),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
