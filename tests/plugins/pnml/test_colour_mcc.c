/* SPDX-License-Identifier: Apache-2.0 */
/* The coloured nets of the Model Checking Contest: states, firings and tokens as the contest knows
 * them, for those that have between so and so many states. */
#include "colour_net.h"
#include "corpus.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

typedef struct expected {
    char name[64];
    uint64_t states, firings, in_marking, in_place; /* states 0: infinitely many */
    uint64_t places, transitions;                   /* of the P/T twin, where there is one */
} expected;

static int read_net(om_context *ctx, const char *corpus, const char *name, pnml_net *net)
{
    char path[4096], *text = NULL;
    size_t length = 0;
    (void) snprintf(path, sizeof path, "%s/mcc/%s/model.pnml", corpus, name);
    int rc = om_read_file(ctx, path, (size_t) 1 << 30, &text, &length);
    if (rc == OM_OK)
        rc = colour_net_read(ctx, text, length, net);
    om_free(om_context_heap(ctx), text);
    return rc;
}

/* The numbers of a line, +inf as 0. */
static bool read_line(char *line, expected *e)
{
    char *field[9], *rest = line;
    for (int i = 0; i < 9; i++) {
        field[i] = rest;
        rest += strcspn(rest, ",\n");
        if (*rest != '\0')
            *rest++ = '\0';
    }
    (void) snprintf(e->name, sizeof e->name, "%.63s", field[0]);
    e->places = strtoull(field[2], NULL, 10);
    e->transitions = strtoull(field[3], NULL, 10);
    e->states = field[4][0] == '+' ? 0 : strtoull(field[4], NULL, 10);
    e->firings = strtoull(field[5], NULL, 10);
    e->in_marking = strtoull(field[6], NULL, 10);
    e->in_place = strtoull(field[7], NULL, 10);
    return strcmp(field[1], "COL") == 0;
}

static bool check(const char *corpus, const expected *e)
{
    om_context *ctx = NULL;
    pnml_net net = { .ctx = NULL };
    colour_size size = { .states = 0 };
    clock_t start = clock();
    bool infinite = e->states == 0;
    int rc = om_context_new(&ctx, NULL);
    if (rc == OM_OK)
        rc = read_net(ctx, corpus, e->name, &net);
    double seconds = (double) (clock() - start) / CLOCKS_PER_SEC;
    if (rc == OM_OK && !infinite)
        rc = colour_explore(om_heap_default(), &net, e->states, &size, NULL, NULL);
    bool right = rc == OM_OK && (infinite || (size.complete && size.states == e->states &&
                                                 size.firings == e->firings &&
                                                 size.most_in_marking == e->in_marking &&
                                                 size.most_in_place == e->in_place));
    (void) printf("%s %s: %" PRIu32 " places, %" PRIu32 " transitions (%.3f s), %" PRIu64
                  " states, %" PRIu64 " firings, %" PRIu64 " and %" PRIu64 " tokens %s\n",
        right ? "ok" : "WRONG", e->name, net.place_count, net.transition_count, seconds,
        size.states, size.firings, size.most_in_marking, size.most_in_place,
        rc == OM_OK ? "" : om_context_error(ctx));
    pnml_net_free(&net);
    om_context_free(ctx);
    return right;
}

int main(int argc, char **argv)
{
    const char *corpus = corpus_folder();
    uint64_t least = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t most = argc > 2 ? strtoull(argv[2], NULL, 10) : 200000;
    char path[4096], line[4096];
    unsigned nets = 0, wrong = 0;
    if (corpus == NULL)
        return 77;
    (void) snprintf(path, sizeof path, "%s/mcc/instances.csv", corpus);
    FILE *f = fopen(path, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        expected e;
        if (!read_line(line, &e) || e.states < least || e.states > most)
            continue;
        nets++;
        wrong += !check(corpus, &e);
    }
    if (f != NULL)
        (void) fclose(f);
    (void) printf("%u nets, %u wrong\n", nets, wrong);
    return wrong != 0 || nets == 0;
}
