/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the behaviour of each net named on standard input: "error MESSAGE", "large", or "initial
 * MARKING" and one line per firing, "MARKING|TRANSITION[BINDING]|MARKING"; then "end".
 */
#include "colour_net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_marking(const om_net *net, const uint8_t *s)
{
    for (uint32_t i = 0; i < net->place_count; i++)
        if (s[i] != 0)
            (void) printf("%s:%s=%d;", net->place_nodes[net->places[i].node].id,
                net->places[i].colour == NULL ? "dot" : net->places[i].colour, s[i]);
}

static void fired(void *self, const om_net *net, const uint8_t *from, uint32_t t, const uint8_t *to)
{
    const om_net_transition *tr = &net->transitions[t];
    (void) self;
    print_marking(net, from);
    (void) printf(
        "|%s[%s]|", net->transition_nodes[tr->node].id, tr->binding == NULL ? "" : tr->binding);
    print_marking(net, to);
    (void) puts("");
}

static void print_initial(const om_net *net)
{
    (void) printf("initial ");
    for (uint32_t i = 0; i < net->place_count; i++)
        if (net->places[i].initial != 0)
            (void) printf("%s:%s=%d;", net->place_nodes[net->places[i].node].id,
                net->places[i].colour == NULL ? "dot" : net->places[i].colour,
                (int) net->places[i].initial);
    (void) puts("");
}

static int print_net(const char *path, uint64_t limit)
{
    om_context *ctx = NULL;
    om_net net = { .ctx = NULL };
    char *text = NULL;
    size_t length = 0;
    colour_size size;
    int rc = om_context_new(&ctx, NULL);
    if (rc == OM_OK)
        rc = om_read_file(ctx, path, (size_t) 1 << 30, &text, &length);
    if (rc == OM_OK)
        rc = colour_net_read(ctx, text, length, &net);
    if (rc != OM_OK) {
        (void) printf("error %s\n", ctx == NULL ? "" : om_context_error(ctx));
    } else {
        rc = colour_explore(om_heap_default(), &net, limit, &size, NULL, NULL);
        if (rc != OM_OK || !size.complete)
            (void) puts("large");
        else {
            print_initial(&net);
            (void) colour_explore(om_heap_default(), &net, limit, &size, fired, NULL);
        }
    }
    (void) puts("end");
    om_net_clear(&net);
    om_free(om_heap_default(), text);
    om_context_free(ctx);
    return fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[4096];
    uint64_t limit = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (print_net(line, limit) != 0)
            return 1;
    }
    return 0;
}
