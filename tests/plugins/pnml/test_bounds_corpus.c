/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the bounds of the published P/T nets with the published maximum of tokens in a place.
 * Prints a table. With a number as argument, the test also explores up to that many markings of
 * each net; no place may exceed its bound.
 */
#include "place_transition/make_net.h"
#include "analysis/bounds.h"
#include "corpus.h"
#include "heap.h"
#include "net_case.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

typedef struct totals {
    const char *corpus;
    size_t limit; /* most markings to explore, or 0 */
    unsigned nets, known;
    uint64_t places, bounded, bits;
} totals;

/* Reads a net; returns false if it is coloured. */
static bool read_net(om_context *ctx, const char *path, om_net *net)
{
    char *text = NULL;
    size_t length = 0;
    const om_heap *heap = om_context_heap(ctx);
    pnml_document d = {
        .ctx = ctx, .file = path, .region = { .heap = heap }, .ids = { .heap = heap }
    };
    assert_int_equal(om_read_file(ctx, path, (size_t) 1 << 30, &text, &length), OM_OK);
    assert_int_equal(pnml_document_read(&d, text, length), OM_OK);
    *net = (om_net){ .ctx = ctx, .file = path, .region = { .heap = heap } };
    if (!d.coloured)
        assert_int_equal(pnml_net_make(net, &d), OM_OK);
    bool plain = !d.coloured;
    pnml_document_free(&d);
    om_free(heap, text);
    return plain;
}

/* Returns the published maximum of tokens in a place: -1 if unknown, -2 if infinite. */
static long expected(const totals *s, const char *folder, const char *model)
{
    char path[512], line[512], key[256];
    bool mcc = strcmp(folder, "mcc") == 0;
    long value = -1;
    (void) snprintf(path, sizeof path, "%s/%s/%s", s->corpus, folder,
        mcc ? "expected.csv" : "state-spaces.csv");
    (void) snprintf(key, sizeof key, mcc ? "%s,StateSpace,MAX_TOKEN_IN_PLACE," : "%s,", model);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) != NULL) {
        const char *at = line + strlen(key);
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        for (int commas = mcc ? 2 : 0; commas < 2; commas++)
            at = strchr(at, ',') + 1;
        value = *at == '+' ? -2 : *at >= '0' && *at <= '9' ? strtol(at, NULL, 10) : -1;
    }
    (void) fclose(f);
    return value;
}

typedef struct summary {
    uint32_t bounded, ones, zeros;
    uint64_t bits;
    om_value largest;
} summary;

static summary summarise(const om_net *net)
{
    summary s = { .bounded = 0 };
    for (uint32_t p = 0; p < net->place_count; p++) {
        om_value bound = net->places[p].bound;
        s.largest = bound > s.largest ? bound : s.largest;
        if (bound == OM_NET_NO_BOUND)
            continue;
        s.bounded++;
        s.ones += bound == 1;
        s.zeros += bound == 0;
        for (; bound > 0; bound /= 2)
            s.bits++;
    }
    return s;
}

/* Explores the net; prints how many bounds are reached and how many are not. */
static void explore(const totals *s, const om_net *net)
{
    net_case_result r;
    unsigned exact = 0, loose = 0;
    size_t fits = ((size_t) 1 << 30) / 8 / (net->place_count + 1);
    om_net_invariants invariants = { .heap = NULL };
    assert_int_equal(om_net_invariants__find(&invariants, net, NULL, 0), OM_OK);
    assert_true(net_case_explore(net, &invariants, s->limit < fits ? s->limit : fits, &r));
    assert_false(r.broken);
    om_net_invariants__free(&invariants);
    for (uint32_t p = 0; p < net->place_count; p++) {
        assert_true(r.most[p] <= net->places[p].bound);
        exact += r.most[p] == net->places[p].bound;
        loose += r.most[p] < net->places[p].bound && net->places[p].bound != OM_NET_NO_BOUND;
    }
    print_message("    %zu markings%s, %u bounds are reached, %u are not\n", r.markings,
        r.complete ? "" : " (not all)", exact, loose);
    net_case_drop(&r);
}

static void check_net(totals *s, const char *folder, const char *model, const char *path)
{
    test_heap heap;
    om_context *ctx = NULL;
    om_net net;
    om_net_bound_figures figures;
    test_heap_init(&heap, SIZE_MAX);
    assert_int_equal(om_context_new(&ctx, &heap.heap), OM_OK);
    if (read_net(ctx, path, &net)) {
        size_t before = heap.peak = heap.bytes;
        clock_t begin = clock();
        assert_int_equal(om_net__bound_measured(&net, &figures), OM_OK);
        double seconds = (double) (clock() - begin) / CLOCKS_PER_SEC;
        summary made = summarise(&net);
        long known = expected(s, folder, model);
        print_message("%-34s %5u %5u | %5u %5u %4u %6llu | %10d %6ld | %7.3f %8zu | %llu %llu %llu"
                      " | %zu %zu %u\n",
            model, (unsigned) net.place_count, (unsigned) net.transition_count,
            (unsigned) made.bounded, (unsigned) made.ones, (unsigned) made.zeros,
            (unsigned long long) made.bits, (int) made.largest, known, seconds, heap.peak - before,
            (unsigned long long) figures.flows, (unsigned long long) figures.invariants,
            (unsigned long long) figures.simplex, figures.invariant_count, figures.impossible,
            (unsigned) figures.rounds);
        assert_true(known == -2 ? made.largest == OM_NET_NO_BOUND : known <= made.largest);
        if (s->limit > 0)
            explore(s, &net);
        s->nets++;
        s->places += net.place_count;
        s->bounded += made.bounded;
        s->bits += made.bits;
        s->known += known != -1;
    }
    om_net_clear(&net);
    om_context_free(ctx);
    assert_int_equal(heap.live, 0);
}

static int by_name(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

/* Stores the names in the folder, sorted; the caller frees them. */
static size_t list(const char *path, char **names, size_t room)
{
    size_t n = 0;
    DIR *d = opendir(path);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL && n < room; e = readdir(d))
        if (e->d_name[0] != '.' && strchr(e->d_name, '.') == NULL)
            names[n++] = strdup(e->d_name);
    (void) closedir(d);
    qsort(names, n, sizeof *names, by_name);
    return n;
}

/* Finds the net of a model: model.pnml or NAME.pnml. */
static bool find_net(
    const totals *s, const char *folder, const char *model, char *path, size_t room)
{
    (void) snprintf(path, room, "%s/%s/%s/model.pnml", s->corpus, folder, model);
    if (access(path, R_OK) == 0)
        return true;
    (void) snprintf(path, room, "%s/%s/%s/%s.pnml", s->corpus, folder, model, model);
    return access(path, R_OK) == 0;
}

static void check_folder(totals *s, const char *folder)
{
    char path[512], *names[200];
    (void) snprintf(path, sizeof path, "%s/%s", s->corpus, folder);
    size_t n = list(path, names, 200);
    for (size_t i = 0; i < n; i++) {
        if (find_net(s, folder, names[i], path, sizeof path))
            check_net(s, folder, names[i], path);
        free(names[i]);
    }
}

static void published(void **state)
{
    totals *s = *state;
    print_message("net, places, transitions | bounded, bound 1, bound 0, bits | largest bound, "
                  "published | seconds, bytes | flows, invariants, programs (entries looked at) | "
                  "invariants, impossible, rounds\n");
    check_folder(s, "petri");
    check_folder(s, "mcc");
    print_message("%u nets, %llu places, %llu bounded, %llu bits\n", s->nets,
        (unsigned long long) s->places, (unsigned long long) s->bounded,
        (unsigned long long) s->bits);
    assert_true(s->nets >= 50);
    assert_true(s->known >= 40);
    /* At least the bounds proved so far: all except the unbounded places of DoubleLock and some
     * places of DoubleExponent and Murphy, whose bounds follow from no equations. */
    assert_int_equal(s->places, 8148);
    assert_true(s->bounded >= 8109);
    assert_true(s->bits <= 7916);
}

int main(int argc, char **argv)
{
    totals s = { .corpus = corpus_folder() };
    if (s.corpus == NULL)
        return 77;
    s.limit = argc > 1 ? (size_t) strtoul(argv[1], NULL, 10) : 0;
    const struct CMUnitTest tests[] = { cmocka_unit_test_prestate(published, &s) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
