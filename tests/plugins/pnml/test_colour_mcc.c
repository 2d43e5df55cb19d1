/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares states, firings and tokens of the coloured nets of the Model Checking Contest with the
 * published numbers, for the nets whose number of states is within the limits given as arguments.
 * If the contest has the same net as a P/T net, both must have the same number of places and
 * transitions, apart from those that are structurally dead.
 */
#include "colour_net.h"
#include "corpus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct expected {
    char name[64];
    uint64_t states, firings, in_marking, in_place; /* states 0: infinitely many */
} expected;

static int read_net(om_context *ctx, const char *path, om_net *net)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(ctx, path, (size_t) 1 << 30, &text, &length);
    if (rc == OM_OK)
        rc = colour_net_read(ctx, text, length, net);
    om_free(om_context_heap(ctx), text);
    return rc;
}

/* Reads the numbers of a line, +inf as 0. Returns true if the net is coloured. */
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
    e->states = field[4][0] == '+' ? 0 : strtoull(field[4], NULL, 10);
    e->firings = strtoull(field[5], NULL, 10);
    e->in_marking = strtoull(field[6], NULL, 10);
    e->in_place = strtoull(field[7], NULL, 10);
    return strcmp(field[1], "COL") == 0;
}

/* Counts places and transitions that are not structurally dead, by a fixed-point iteration. */
static bool count_live(const om_net *net, uint32_t *places, uint32_t *transitions)
{
    bool *marked = calloc((size_t) net->place_count + 1, 1), more = true;
    bool *fires = calloc((size_t) net->transition_count + 1, 1);
    for (uint32_t i = 0; marked != NULL && i < net->place_count; i++)
        marked[i] = net->places[i].initial > 0;
    while (marked != NULL && fires != NULL && more) {
        more = false;
        for (uint32_t i = 0; i < net->transition_count; i++) {
            const om_net_transition *t = &net->transitions[i];
            bool possible = !fires[i];
            for (uint32_t k = 0; k < t->take_count; k++)
                possible = possible && marked[t->takes[k].place];
            for (uint32_t k = 0; k < t->give_count && possible; k++)
                marked[t->gives[k].place] = true;
            fires[i] |= possible;
            more |= possible;
        }
    }
    *places = *transitions = 0;
    for (uint32_t i = 0; !more && i < net->place_count; i++)
        *places += marked[i];
    for (uint32_t i = 0; !more && i < net->transition_count; i++)
        *transitions += fires[i];
    free(marked);
    free(fires);
    return !more;
}

/* Finds the path of the equivalent P/T net; "" if there is none. */
static void find_twin(const char *corpus, const char *name, char *path, size_t room)
{
    const char *kind = strstr(name, "-COL-");
    char twin[128];
    (void) snprintf(twin, sizeof twin, "%.*s-PT-%.40s", (int) (kind - name), name, kind + 5);
    (void) snprintf(path, room, "%s/mcc/%s/model.pnml", corpus, twin);
    if (access(path, R_OK) != 0)
        (void) snprintf(path, room, "%s/petri/%s/%s.pnml", corpus, twin, twin);
    if (access(path, R_OK) != 0)
        path[0] = '\0';
}

static bool check_twin(om_context *ctx, const char *corpus, const char *name, const om_net *net)
{
    char path[4096];
    om_net twin = { .ctx = NULL };
    uint32_t places = 0, transitions = 0;
    find_twin(corpus, name, path, sizeof path);
    if (path[0] == '\0')
        return true;
    bool right = read_net(ctx, path, &twin) == OM_OK && count_live(&twin, &places, &transitions);
    right = right && places == net->place_count && transitions == net->transition_count;
    (void) printf("   its P/T twin: %" PRIu32 " places, %" PRIu32 " transitions, not dead %" PRIu32
                  " and %" PRIu32 "\n",
        twin.place_count, twin.transition_count, places, transitions);
    om_net_clear(&twin);
    return right;
}

static bool check(const char *corpus, const expected *e)
{
    om_context *ctx = NULL;
    om_net net = { .ctx = NULL };
    colour_size size = { .states = 0 };
    char path[4096];
    clock_t start = clock();
    bool infinite = e->states == 0;
    (void) snprintf(path, sizeof path, "%s/mcc/%s/model.pnml", corpus, e->name);
    int rc = om_context_new(&ctx, NULL);
    if (rc == OM_OK)
        rc = read_net(ctx, path, &net);
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
    right = right && check_twin(ctx, corpus, e->name, &net);
    om_net_clear(&net);
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
