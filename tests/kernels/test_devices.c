/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: listing, selection, program builds, the program cache, and exhausted memory. */
#include "builds.h"
#include "files/cache.h"
#include "devices.h"
#include "engine/engine.h"
#include "engine_path.h"
#include "folder.h"
#include "heap.h"
#include "device_cache.h"
#include "opencl/opencl.h"
#include "reference.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static om_context *ctx;
static om_devices *devices;
static om_device *device;

static void listing(void **state)
{
    (void) state;
    assert_true(om_devices_count(devices) > 0);
    for (size_t i = 0; i < om_devices_count(devices); i++) {
        const om_device_info *info = om_devices_info(devices, i);
        assert_true(info->name[0] != '\0' && info->platform[0] != '\0');
        assert_non_null(info->kind);
        assert_true(info->reason != NULL || info->largest_allocation <= info->memory_bytes);
    }
    assert_null(om_devices_info(devices, om_devices_count(devices)));
    assert_ptr_equal(om_device_info_of(device), &device->info);
}

static void picking(void **state)
{
    om_device *d = NULL;
    (void) state;
    assert_int_equal(om_devices_pick(devices, ctx, "auto", &d), OM_OK);
    assert_ptr_equal(d, device);
    assert_int_equal(d->test, OM_TEST_PASSED);
    assert_int_equal(om_devices_pick(devices, ctx, "toaster", &d), OM_EUSAGE);
    om_context_clear(ctx);
    assert_int_equal(om_devices_pick(devices, ctx, "99", &d), OM_EUSAGE);
    assert_non_null(strstr(om_context_error(ctx), om_devices_count(devices) == 1
                                                      ? "no device 99: the only one is number 0"
                                                      : "no device 99: they are numbered 0 to "));
    om_context_clear(ctx);
    /* A device that failed its test is skipped by "auto" and rejected by number. */
    const char *before = device->info.reason;
    device->info.reason = "it failed";
    char number[8];
    snprintf(number, sizeof number, "%zu", (size_t) (device - devices->items));
    assert_int_equal(om_devices_pick(devices, ctx, number, &d), OM_EUNSUPPORTED);
    assert_non_null(strstr(om_context_error(ctx), "it failed"));
    om_context_clear(ctx);
    if (om_devices_count(devices) == 1) {
        assert_int_equal(om_devices_pick(devices, ctx, "auto", &d), OM_EUNSUPPORTED);
        om_context_clear(ctx);
    }
    device->info.reason = before;
}

static int build(const om_recipe *recipe, om_built *out)
{
    om_build *b = NULL;
    int rc = om_builds__order(device, ctx, recipe, &b);
    return rc == OM_OK ? om_builds__collect(b, ctx, out) : rc;
}

static void bad_source(void **state)
{
    om_built built = { 0 };
    (void) state;
    assert_int_equal(
        build(&(om_recipe){ .source = "__kernel void f(int x) { nonsense; }\n" }, &built),
        OM_EUNSUPPORTED);
    assert_non_null(strstr(om_context_error(ctx), "nonsense"));
    om_context_clear(ctx);
}

/* ---- the cache ---- */

static const char GOOD[] = "__kernel void om_k_one(__global uint *x) { x[0] = 1; }\n";
static const om_shape good_shapes[] = { { "om_k_one", "m" } };
static const om_recipe good_recipe = { .source = GOOD, .shapes = good_shapes, .count = 1 };
/* The same source with a macro defined is another program. */
static const om_recipe other_recipe = {
    .source = GOOD, .defines = { { "OTHER", 1 } }, .define_count = 1
};

/* Returns the only file in this test's cache, or NULL if there is none. The caller frees it. */
static char *cached_file(void)
{
    char *found = NULL;
    om_cache cache;
    assert_int_equal(om_cache__open(&cache, ctx, om_cache__opencl), OM_OK);
    const char *folder = cache.path;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.') {
            assert_null(found);
            size_t n = strlen(folder) + strlen(entry->d_name) + 2;
            found = malloc(n);
            assert_non_null(found);
            snprintf(found, n, "%s/%s", folder, entry->d_name);
        }
    closedir(dir);
    om_cache__close(&cache);
    return found;
}

static void build_good(void)
{
    om_built built = { 0 };
    int rc = build(&good_recipe, &built);
    if (rc != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    om_builds__release(device, &built);
}

static void recipe_key(const om_recipe *recipe, om_text *key)
{
    om_text all = { .heap = om_context_heap(ctx) };
    om_opencl__options(device, recipe, &all);
    assert_false(all.failed);
    assert_int_equal(om_device_cache__key(device, ctx, GOOD, all.text, key), OM_OK);
    om_text_free(&all);
}

static bool cached(const om_recipe *recipe)
{
    om_text key = { 0 };
    unsigned char *binary = NULL;
    size_t length = 0;
    recipe_key(recipe, &key);
    bool is = om_cache__load_from(ctx, om_cache__opencl, &key, &binary, &length);
    om_free(om_context_heap(ctx), binary);
    om_text_free(&key);
    return is;
}

/* Changes the byte at `at`, or truncates the file there. A negative `at` counts from the end. */
static void damage(const char *path, long at, bool cut)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    long place = ftell(file);
    if (cut) {
        assert_int_equal(ftruncate(fileno(file), place), 0);
    } else {
        int byte = fgetc(file);
        assert_int_equal(fseek(file, place, SEEK_SET), 0);
        fputc(byte ^ 0x41, file);
    }
    assert_int_equal(fclose(file), 0);
}

static void damaged_cache(void **state)
{
    /* Magic, version, lengths, checksum, key, binary, truncated end. */
    static const struct {
        long at;
        bool cut;
    } cases[] = { { 0, false }, { 7, false }, { 8, false }, { 16, false }, { 24, false },
        { 40, false }, { -1, false }, { -100, false }, { -1, true }, { 20, true }, { 0, true } };
    (void) state;
    assert_false(cached(&good_recipe));
    build_good();
    char *path = cached_file();
    assert_non_null(path);
    assert_true(cached(&good_recipe));
    assert_false(cached(&other_recipe));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        damage(path, cases[i].at, cases[i].cut);
        assert_false(cached(&good_recipe));
        build_good(); /* without a message; the file is valid again */
        assert_true(cached(&good_recipe));
    }
    free(path);
}

/* An intact file with a binary that the driver rejects is dropped, and the program is built from
 * source. */
static void wrong_binary(void **state)
{
    static const unsigned char junk[] = "not a program at all";
    om_text key = { 0 };
    unsigned char *binary = NULL;
    size_t length = 0;
    (void) state;
    recipe_key(&good_recipe, &key);
    om_cache__store_in(ctx, om_cache__opencl, &key, junk, sizeof junk);
    assert_true(om_cache__load_from(ctx, om_cache__opencl, &key, &binary, &length));
    assert_int_equal(length, sizeof junk);
    om_free(om_context_heap(ctx), binary);
    build_good();
    assert_true(om_cache__load_from(ctx, om_cache__opencl, &key, &binary, &length));
    assert_true(length != sizeof junk);
    om_free(om_context_heap(ctx), binary);
    om_text_free(&key);
}

static void no_cache(void **state)
{
    char *before = getenv("XDG_CACHE_HOME"), *copy = before != NULL ? strdup(before) : NULL;
    (void) state;
    setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
    build_good();
    assert_string_equal(om_context_error(ctx), "");
    if (copy != NULL)
        setenv("XDG_CACHE_HOME", copy, 1);
    free(copy);
}

/* ---- memory ---- */

static void every_allocation_may_fail(void **state)
{
    om_random random = { 3 };
    om_expr aps[GRAPH_APS];
    uint8_t accepting[3] = { 0, 1, 1 };
    om_model *m = reference_graph(ctx, &random, 90, 0, aps);
    om_automaton *a = reference_automaton(ctx, &random, 3, accepting);
    om_engine_spec spec = { .size = sizeof spec,
        .device = device,
        .model = m,
        .aps = aps,
        .ap_count = GRAPH_APS,
        .automaton = a,
        .stutter = true,
        .deadlock_ap = OM_NONE,
        .accepting = accepting };
    (void) state;
    for (size_t n = 0;; n++) {
        test_heap heap;
        om_context *own = NULL;
        om_engine *e = NULL;
        om_exploration x = { 0 };
        om_id rest = OM_NO_ID;
        engine_path p = { .heap = &heap.heap, .row = om_model_words(m) + 1 };
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&own, &heap.heap), OM_OK);
        heap.fail_at = heap.calls + n;
        int rc = om_engine_open(&e, own, &spec);
        if (rc == OM_OK)
            rc = om_engine_explore(e, NULL, NULL, &x);
        if (rc == OM_OK)
            rc = om_engine_trim(e, &rest, NULL);
        if (rc == OM_OK)
            rc = engine_path_of(e, rest != OM_NO_ID ? rest : 0, &p);
        om_free(&heap.heap, p.rows);
        om_engine_close(e);
        bool failed = heap.calls > heap.fail_at;
        om_context_free(own);
        assert_int_equal(heap.live, 0);
        if (rc != OM_OK)
            assert_int_equal(rc, OM_ENOMEM);
        if (!failed) {
            assert_int_equal(rc, OM_OK);
            assert_true(n > 10);
            break;
        }
    }
    om_automaton_free(a);
    om_model_free(m);
}

static void opening_may_fail(void **state)
{
    (void) state;
    for (size_t n = 0;; n++) {
        test_heap heap;
        om_context *own = NULL;
        om_devices *d = NULL;
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&own, &heap.heap), OM_OK);
        heap.fail_at = heap.calls + n;
        int rc = om_devices_open(&d, own, reference_device_name(), NULL);
        om_devices_close(d);
        om_context_free(own);
        assert_int_equal(heap.live, 0);
        if (rc == OM_OK)
            break;
        assert_int_equal(rc, OM_ENOMEM);
    }
}

/* A device that is too small: the caller is asked to use another checker. */
static void small_device(void **state)
{
    om_random random = { 3 };
    om_expr aps[GRAPH_APS];
    om_model *m = reference_graph(ctx, &random, 90, 0, aps);
    om_engine_spec spec = {
        .size = sizeof spec, .device = device, .model = m, .deadlock_ap = OM_NONE
    };
    om_engine *e = NULL;
    uint64_t before = device->info.memory_bytes;
    (void) state;
    device->info.memory_bytes = 1 << 20;
    assert_int_equal(om_engine_open(&e, ctx, &spec), OM_EUNSUPPORTED);
    assert_non_null(strstr(om_context_error(ctx), "out of memory"));
    om_context_clear(ctx);
    device->info.memory_bytes = before;
    if (device->host_memory) { /* counts towards the limit of the whole process */
        om_limits limits = { .memory_bytes = 1 << 20 };
        om_control_start(om_context_control(ctx), &limits);
        assert_int_equal(om_engine_open(&e, ctx, &spec), OM_ELIMIT);
        assert_int_equal(om_control_stopped(om_context_control(ctx)), OM_STOP_MEMORY);
        om_control_start(om_context_control(ctx), NULL);
    }
    om_model_free(m);
}

/* Without a platform, a reason is returned and no message is recorded. */
static int without(void)
{
    const char *why = NULL;
    if (setenv("OCL_ICD_VENDORS", "/nonexistent", 1) != 0)
        return 1;
    int rc = om_devices_open(&devices, ctx, "auto", &why);
    printf("%d: %s\n", rc, why != NULL ? why : "no reason");
    return rc == OM_EUNSUPPORTED && why != NULL && om_context_error(ctx)[0] == '\0' ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (om_context_new(&ctx, NULL) != OM_OK)
        return 1;
    if (argc > 1 && strcmp(argv[1], "without") == 0) {
        int failed = without();
        om_context_free(ctx);
        return failed;
    }
    devices = reference_device(ctx, &device);
    /* A separate cache for this test, so that the test may damage it. */
    if (folder_set_up(NULL) != 0 || setenv("XDG_CACHE_HOME", folder_base, 1) != 0)
        return 1;
    const bool host = strcmp(reference_device_name(), "host") == 0;
    const struct CMUnitTest on_host[] = {
        cmocka_unit_test(listing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(opening_may_fail),
        cmocka_unit_test(small_device),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listing),
        cmocka_unit_test(damaged_cache),
        cmocka_unit_test(wrong_binary),
        cmocka_unit_test(picking),
        cmocka_unit_test(bad_source),
        cmocka_unit_test(no_cache),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(opening_may_fail),
        cmocka_unit_test(small_device),
    };
    int failed = host ? cmocka_run_group_tests(on_host, NULL, NULL)
                      : cmocka_run_group_tests(tests, NULL, NULL);
    om_devices_close(devices);
    om_context_free(ctx);
    return folder_tear_down(NULL) == 0 ? failed : 1;
}
