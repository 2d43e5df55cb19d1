/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are read as a never claim (or HOA) or rejected with a message. An automaton can be
 * drawn, and written as a claim that is empty if and only if the first one is. */
#include <omen/plugin/automaton.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static bool is_empty(om_context *ctx, const om_automaton *a)
{
    bool empty = false;
    must(om_automaton_empty(a, ctx, &empty, NULL) == OM_OK);
    return empty;
}

static void check_round_trip(om_context *ctx, const om_automaton *a)
{
    om_text t = { .heap = om_heap_default() }, u = t;
    om_automaton *b = NULL;
    must(om_dot_write(a, NULL, &u) == OM_OK);
    int rc = om_never_write(a, ctx, &t);
    must(rc == OM_OK || rc == OM_EUNSUPPORTED || rc == OM_ELIMIT);
    if (rc == OM_OK) {
        must(om_automaton_read(&b, ctx, "again", t.text, t.length, 0) == OM_OK);
        must(is_empty(ctx, a) == is_empty(ctx, b));
    }
    om_automaton_free(b);
    om_text_free(&t);
    om_text_free(&u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    om_context *ctx = NULL;
    om_automaton *a = NULL;
    if (om_context_new(&ctx, NULL) != OM_OK)
        return 0;
    int rc = om_automaton_read(&a, ctx, "input", (const char *) data, size, 0);
    must((rc == OM_OK) == (om_context_error(ctx)[0] == '\0'));
    must((rc == OM_OK) == (a != NULL));
    if (rc == OM_OK && om_automaton_state_count(a) <= 50 && om_automaton_edge_count(a) <= 200)
        check_round_trip(ctx, a);
    om_automaton_free(a);
    om_context_free(ctx);
    return 0;
}
