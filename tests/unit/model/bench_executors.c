/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time per successor in ns, vm and native, on the first states of published models in
 * breadth-first order. Times are not tested: the test fails only if the two disagree.
 */
#include <omen/host/registry.h>
#include <omen/host/load.h>
#include <omen/plugin/model.h>

#include "corpus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATES = 20000, SLOTS = 1 << 16, ROUNDS = 9, SKIP = 77 };

/* Collects the first states in breadth-first order, found with `x`. */
static size_t sample(const om_executor *x, uint32_t *states)
{
    size_t count = 1, words = x->words;
    uint32_t *table = calloc(SLOTS, sizeof *table);
    om_successors out = { .heap = om_heap_default() };
    x->initial(x, states);
    for (size_t i = 0; table != NULL && i < count && count < STATES; i++) {
        if (om_executor_successors(x, states + i * words, &out) != OM_OK || out.fault != 0)
            break;
        for (size_t k = 0; k < out.count && count < STATES; k++) {
            const uint32_t *row = out.words + k * words;
            uint64_t h = 0;
            for (size_t w = 0; w < words; w++)
                h = (h ^ row[w]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
            size_t at = (size_t) h % SLOTS;
            while (table[at] != 0 &&
                   memcmp(states + (table[at] - 1) * words, row, words * sizeof *row) != 0)
                at = (at + 1) % SLOTS;
            if (table[at] != 0)
                continue;
            memcpy(states + count * words, row, words * sizeof *row);
            table[at] = (uint32_t) ++count;
        }
    }
    om_successors_free(&out);
    free(table);
    return count;
}

/* CPU time of the thread, because the machine may be shared. */
static uint64_t thread_ns(void)
{
    struct timespec t;
    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

/* Expands every state; returns the best of several rounds. */
static double expand(
    const om_executor *x, const uint32_t *states, size_t count, uint64_t *successors, uint64_t *sum)
{
    om_successors out = { .heap = om_heap_default() };
    uint64_t best = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t start = thread_ns();
        *successors = *sum = 0;
        for (size_t i = 0; i < count; i++) {
            if (om_executor_successors(x, states + i * x->words, &out) != OM_OK || out.fault != 0)
                continue;
            *successors += out.count;
            for (size_t k = 0; k < out.count; k++)
                *sum += out.transition[k] + out.words[(k + 1) * x->words - 1];
        }
        uint64_t took = thread_ns() - start;
        best = took < best ? took : best;
    }
    om_successors_free(&out);
    return (double) best;
}

static int measure(om_model *m, const char *name)
{
    om_executor *vm = NULL, *native = NULL;
    uint64_t n[2], sum[2];
    int failed = 1;
    uint32_t *states = malloc((size_t) STATES * om_model_words(m) * sizeof *states);
    uint64_t start = om_clock_ns();
    if (states == NULL || om_executor_open(&vm, m, OM_EXEC_VM, NULL, 0) != OM_OK)
        goto done;
    uint64_t vm_open = om_clock_ns() - start;
    start = om_clock_ns();
    if (om_executor_open(&native, m, OM_EXEC_NATIVE, NULL, 0) != OM_OK)
        goto done;
    uint64_t native_open = om_clock_ns() - start;
    size_t count = sample(native, states);
    double slow = expand(vm, states, count, &n[0], &sum[0]);
    double fast = expand(native, states, count, &n[1], &sum[1]);
    failed = n[0] != n[1] || sum[0] != sum[1];
    (void) printf("%-16s %5u transitions %3u words %5.1f succ/state | vm %7.1f ns/succ, opens in "
                  "%.1f ms | native %6.1f ns/succ, opens in %.0f ms%s\n",
        name, om_model_transition_count(m), om_model_words(m), (double) n[0] / (double) count,
        slow / (double) n[0], (double) vm_open / 1e6, fast / (double) n[1],
        (double) native_open / 1e6, failed ? " DIFFERENT" : "");
done:
    om_executor_close(vm);
    om_executor_close(native);
    free(states);
    return failed;
}

static int one(om_context *ctx, const om_registry *registry, const char *family, const char *name)
{
    char path[4096];
    om_model *m = NULL;
    (void) snprintf(path, sizeof path, "%s/beem/%s/%s.dve", corpus_folder(), family, name);
    int failed = 1;
    if (om_frontend_load(ctx, registry, "dve", path, NULL, &m) == OM_OK)
        failed = measure(m, name);
    if (failed)
        (void) fprintf(stderr, "%s: %s\n", name, om_context_error(ctx));
    om_model_free(m);
    return failed;
}

int main(int argc, char **argv)
{
    static const char *const models[][2] = { { "anderson", "anderson.4" },
        { "elevator", "elevator.4" }, { "bakery", "bakery.4" }, { "bopdp", "bopdp.3" },
        { "lamport", "lamport.6" }, { "telephony", "telephony.4" },
        { "firewire_link", "firewire_link.5" } };
    om_context *ctx = NULL;
    om_registry *registry = NULL;
    const om_plugin *dve = NULL;
    int failed = 0;
    if (om_context_new(&ctx, NULL) != OM_OK || om_registry_new(&registry, ctx) != OM_OK)
        return 1;
    if (corpus_folder() == NULL ||
        om_registry_find(registry, OM_PLUGIN_FRONTEND, "dve", &dve) != OM_OK) {
        (void) puts("skipped: the corpus or the dve front end is not here");
        failed = SKIP;
        goto done;
    }
    if (argc > 2)
        failed = one(ctx, registry, argv[1], argv[2]);
    for (size_t i = 0; i < sizeof models / sizeof *models && argc == 1; i++)
        failed |= one(ctx, registry, models[i][0], models[i][1]);
done:
    om_registry_free(registry);
    om_context_free(ctx);
    return failed;
}
