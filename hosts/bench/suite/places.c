/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int bench_find_home(bench_host *b)
{
    ssize_t n = readlink("/proc/self/exe", b->home, sizeof b->home - 1);
    char *slash;
    if (n <= 0)
        return om_fail(b->ctx, OM_EIO, NULL, "cannot find the path of this program");
    b->home[n] = '\0';
    slash = strrchr(b->home, '/');
    if (slash != NULL)
        *slash = '\0';
    return OM_OK;
}

/* Finds the first existing folder of these, relative to the program's: as built, then as
 * installed. */
static int put_folder(const bench_host *b, const char *const *places, om_text *out)
{
    for (size_t i = 0; places[i] != NULL; i++) {
        om_text_free(out);
        om_text_printf(out, "%s/%s", b->home, places[i]);
        if (out->failed)
            return om_fail_memory(b->ctx);
        if (bench_exists(out->text))
            return OM_OK;
    }
    return OM_OK;
}

static const char *const suite_places[] = { "bench-suites", "../share/omen/bench", NULL };
static const char *const demo_places[] = { "../../hosts/cli/demo", "../share/omen/demo", NULL };

static int add_built_in(bench_host *b, const char *name, const char *value)
{
    return bench_add_pair(&b->opt.arena, b->ctx, &b->built_in, name, value);
}

static const char *const test_places[] = { "tests/kernels", NULL };
static const char *const count_places[] = { "bench-suites/counts.csv",
    "../share/omen/bench/counts.csv", NULL };
static const char *const generate_places[] = { "bench-suites/generate.py",
    "../share/omen/bench/generate.py", NULL };

int bench_set_built_in(bench_host *b)
{
    om_text text = { .heap = om_context_heap(b->ctx) };
    const char *corpus = getenv("OMEN_CORPUS");
    const struct {
        const char *name, *const *of;
    } places[] = { { "demo", demo_places }, { "tests", test_places }, { "counts", count_places },
        { "generate", generate_places } };
    int rc = OM_OK;

    om_text_printf(&text, "%s/omen", b->home);
    rc = text.failed ? om_fail_memory(b->ctx) : add_built_in(b, "omen", text.text);
    for (size_t i = 0; rc == OM_OK && i < sizeof places / sizeof *places; i++) {
        rc = put_folder(b, places[i].of, &text);
        if (rc == OM_OK)
            rc = add_built_in(b, places[i].name, text.text);
    }
    om_text_free(&text);
    om_text_printf(&text, "%s/cache", b->scratch);
    if (rc == OM_OK)
        rc = text.failed ? om_fail_memory(b->ctx) : add_built_in(b, "cache", text.text);
    if (rc == OM_OK && corpus != NULL) {
        char *whole = realpath(corpus, NULL);
        rc = add_built_in(b, "corpus", whole == NULL ? corpus : whole);
        free(whole);
    }
    om_text_free(&text);
    return rc;
}

int bench_read_suite(bench_host *b, const char *name, bench_table *out)
{
    om_text path = { .heap = om_context_heap(b->ctx) };
    int rc = OM_OK;
    if (strchr(name, '/') != NULL || strchr(name, '.') != NULL)
        om_text_add(&path, name);
    else {
        rc = put_folder(b, suite_places, &path);
        om_text_printf(&path, "/%s.suite", name);
        if (rc == OM_OK && !path.failed && !bench_exists(path.text))
            rc = om_fail(b->ctx, OM_EUSAGE, NULL, "no suite '%s' (see omen-bench --list)", name);
    }
    if (rc == OM_OK)
        rc = path.failed ? om_fail_memory(b->ctx) : bench_table_read(out, b->ctx, path.text);
    om_text_free(&path);
    return rc;
}

/* Compares the names without suffix, so that "a" precedes "a-b"; "a.suite" would not. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    const size_t n = strcspn((*a)->d_name, "."), m = strcspn((*b)->d_name, ".");
    const int order = memcmp((*a)->d_name, (*b)->d_name, n < m ? n : m);
    return order != 0 ? order : (n > m) - (n < m);
}

int bench_list_suites(bench_host *b)
{
    om_text path = { .heap = om_context_heap(b->ctx) };
    struct dirent **names = NULL;
    int rc = put_folder(b, suite_places, &path);
    int n = rc == OM_OK ? scandir(path.text, &names, NULL, by_name) : 0;
    for (int i = 0; i < n; i++) {
        const char *dot = strstr(names[i]->d_name, ".suite");
        if (dot != NULL)
            (void) printf("%.*s\n", (int) (dot - names[i]->d_name), names[i]->d_name);
        free(names[i]);
    }
    free((void *) names);
    om_text_free(&path);
    return rc;
}
