/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes are read as HOA or rejected with a message. An automaton stays the same when written
 * and read again, and small automata keep their emptiness through every conversion.
 */
#include <omen/plugin/automaton.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void check_round_trip(om_context *ctx, const om_automaton *a)
{
    om_text t = { .heap = om_heap_default() }, u = { .heap = om_heap_default() };
    om_automaton *b = NULL;
    must(om_hoa_write(a, &t) == OM_OK);
    must(om_hoa_read(&b, ctx, "again", t.text, t.length, 0) == OM_OK);
    must(om_hoa_write(b, &u) == OM_OK);
    must(strcmp(t.text, u.text) == 0);
    om_automaton_free(b);
    om_text_free(&t);
    om_text_free(&u);
}

static bool is_empty(om_context *ctx, const om_automaton *a)
{
    bool empty = false, accepted = false;
    om_word w = { NULL, 0, 0 };
    must(om_automaton_empty(a, ctx, &empty, &w) == OM_OK);
    if (!empty) {
        must(om_automaton_accepts_lasso(a, ctx, w.labels, w.n, w.loop, &accepted) == OM_OK);
        must(accepted);
    }
    om_free(om_heap_default(), w.labels);
    return empty;
}

static void check_conversions(om_context *ctx, const om_automaton *a)
{
    bool empty = is_empty(ctx, a), parts_empty = true;
    om_automaton *b = NULL;
    must(om_automaton_prune(a, ctx, &b) == OM_OK && is_empty(ctx, b) == empty);
    om_automaton_free(b);
    b = NULL;
    int rc = om_automaton_to_buchi(a, ctx, &b);
    must(rc == OM_ELIMIT || (rc == OM_OK && is_empty(ctx, b) == empty));
    om_automaton_free(b);
    for (int s = OM_TERMINAL; s <= OM_STRONG; s++) {
        b = NULL;
        must(om_automaton_part(a, ctx, (om_strength) s, &b) == OM_OK);
        parts_empty = parts_empty && b == NULL;
        must(b == NULL || !is_empty(ctx, b));
        om_automaton_free(b);
    }
    must(parts_empty == empty);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    om_context *ctx = NULL;
    om_automaton *a = NULL;
    if (om_context_new(&ctx, NULL) != OM_OK)
        return 0;
    int rc = om_hoa_read(&a, ctx, "input", (const char *) data, size, 0);
    must((rc == OM_OK) == (om_context_error(ctx)[0] == '\0'));
    must((rc == OM_OK) == (a != NULL));
    if (rc == OM_OK) {
        check_round_trip(ctx, a);
        if (om_automaton_state_count(a) <= 50 && om_automaton_edge_count(a) <= 200 &&
            om_automaton_set_count(a) <= 6 && om_automaton_ap_count(a) <= 10)
            check_conversions(ctx, a);
    }
    om_automaton_free(a);
    om_context_free(ctx);
    return 0;
}
