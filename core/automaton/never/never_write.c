/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes never claims in the layout of SPIN: a labelled if for each state. Acceptance is
 * state-based there. If a state has both marked and unmarked edges, each state is written twice:
 * once for entry by a marked edge (accept_S) and once for entry by others (T0_S).
 */
#include "never.h"

#include <string.h>

enum { MOST_NODES = 1 << 16 };

typedef struct writer {
    const om_automaton *a; /* Buchi */
    om_text *out;
    uint32_t *number; /* of the copies 2 s and 2 s + 1 of a state; OM_NONE: not reached yet */
    uint32_t *copies; /* ordered by number */
    uint32_t count;
    bool by_state; /* no state has both kinds of edges; only copies 2 s exist */
    bool *accept;  /* then: states whose edges are marked */
} writer;

static bool is_marked(const om_automaton *a, const om_edge *e)
{
    return om_automaton_accepts_marks(a, e->marks);
}

/* Determines whether marks are those of whole states. */
static void look_at_marks(writer *w)
{
    w->by_state = true;
    for (uint32_t s = 0; s < w->a->states; s++) {
        uint32_t n = 0, marked = 0;
        const om_edge *e = om_automaton_edges(w->a, s, &n);
        for (uint32_t i = 0; i < n; i++)
            marked += is_marked(w->a, &e[i]);
        w->accept[s] = n > 0 && marked == n;
        w->by_state = w->by_state && (marked == 0 || marked == n);
    }
}

static void meet(writer *w, uint32_t copy)
{
    if (w->number[copy] == OM_NONE) {
        w->number[copy] = w->count;
        w->copies[w->count++] = copy;
    }
}

static uint32_t target(const writer *w, const om_edge *e)
{
    return 2 * e->dst + (!w->by_state && is_marked(w->a, e));
}

static bool is_accepting(const writer *w, uint32_t copy)
{
    return w->by_state ? w->accept[copy / 2] : copy % 2 == 1;
}

/* Finds the reachable copies, in breadth-first order. */
static void find_copies(writer *w)
{
    for (size_t i = 0; i < w->a->initial_count; i++)
        meet(w, 2 * w->a->initial[i]);
    for (uint32_t k = 0; k < w->count; k++) {
        uint32_t n = 0;
        const om_edge *e = om_automaton_edges(w->a, w->copies[k] / 2, &n);
        for (uint32_t i = 0; i < n; i++)
            meet(w, target(w, &e[i]));
    }
}

static void put_label(const writer *w, uint32_t copy)
{
    const char *kind = is_accepting(w, copy) ? "accept" : "T0";
    if (w->a->initial_count == 1 && copy == 2 * w->a->initial[0])
        om_text_printf(w->out, "%s_init", kind);
    else
        om_text_printf(w->out, "%s_S%u", kind, w->number[copy]);
}

static void put_ap(const writer *w, uint32_t i)
{
    const char *name = w->a->aps[i];
    bool word =
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
        '\0';
    om_text_printf(w->out, word ? "%s" : "(%s)", name);
}

static void put_cube(const writer *w, om_cube c)
{
    const char *between = "";
    om_text_add(w->out, "(");
    if ((c.pos | c.neg) == 0)
        om_text_add(w->out, "1");
    for (uint32_t i = 0; i < w->a->ap_count; i++) {
        if ((((c.pos | c.neg) >> i) & 1) == 0)
            continue;
        om_text_printf(w->out, "%s%s", between, ((c.neg >> i) & 1) != 0 ? "!" : "");
        put_ap(w, i);
        between = " && ";
    }
    om_text_add(w->out, ")");
}

static void put_edges(const writer *w, uint32_t state)
{
    uint32_t n = 0;
    const om_edge *edges = om_automaton_edges(w->a, state, &n);
    for (uint32_t i = 0; i < n; i++) {
        om_text_add(w->out, "\t:: (");
        for (uint32_t k = 0; k < edges[i].cube_count; k++) {
            om_text_add(w->out, k == 0 ? "" : " || ");
            put_cube(w, w->a->cubes[edges[i].cube_begin + k]);
        }
        om_text_add(w->out, ") -> goto ");
        put_label(w, target(w, &edges[i]));
        om_text_add(w->out, "\n");
    }
}

static uint32_t edges_of(const writer *w, uint32_t state)
{
    uint32_t n = 0;
    (void) om_automaton_edges(w->a, state, &n);
    return n;
}

static void put_claim(const writer *w)
{
    const om_automaton *a = w->a;
    om_text_add(w->out, "never {");
    for (const char *c = a->name; c != NULL && *c != '\0'; c++) {
        om_text_add(w->out, c == a->name ? " /* " : *c == '/' && c[-1] == '*' ? " " : "");
        om_text_add_n(w->out, (unsigned char) *c < ' ' ? " " : c, 1);
    }
    om_text_add(w->out, a->name != NULL && *a->name != '\0' ? " */\n" : "\n");
    if (a->initial_count != 1) {
        uint64_t n = 0;
        for (size_t i = 0; i < a->initial_count; i++)
            n += edges_of(w, a->initial[i]);
        om_text_add(w->out, n == 0 ? "T0_init:\n\tfalse;\n" : "T0_init:\n\tif\n");
        for (size_t i = 0; i < a->initial_count; i++)
            put_edges(w, a->initial[i]);
        om_text_add(w->out, n == 0 ? "" : "\tfi;\n");
    }
    for (uint32_t k = 0; k < w->count; k++) {
        bool blocked = edges_of(w, w->copies[k] / 2) == 0;
        put_label(w, w->copies[k]);
        om_text_add(w->out, blocked ? ":\n\tfalse;\n" : ":\n\tif\n");
        put_edges(w, w->copies[k] / 2);
        om_text_add(w->out, blocked ? "" : "\tfi;\n");
    }
    om_text_add(w->out, "}\n");
}

/* Checks that every proposition can be written in a claim as an expression. */
static int check_aps(om_context *ctx, const om_automaton *a)
{
    om_context *scratch = NULL;
    om_bdd_space *space = NULL;
    int rc = OM_OK;
    if (om_context_new_below(&scratch, ctx) != OM_OK)
        return om_fail_memory(ctx);
    if (om_bdd_space_new(&space, scratch, MOST_NODES) != OM_OK)
        rc = om_fail_memory(ctx);
    for (uint32_t i = 0; rc == OM_OK && i < a->ap_count; i++) {
        om_never_reader r = { .ctx = scratch, .heap = a->heap, .bdd = space };
        bool yes = false;
        rc = om_never__is_atom(&r, a->aps[i], &yes);
        if (rc == OM_ENOMEM)
            rc = om_fail_memory(ctx);
        else if (rc == OM_OK && !yes)
            rc = om_fail(ctx, OM_EUNSUPPORTED, NULL,
                "the proposition '%.200s' is not a Promela expression that a never claim can "
                "contain",
                a->aps[i]);
    }
    om_bdd_space_free(space);
    om_context_free(scratch);
    return rc;
}

int om_never_write(const om_automaton *a, om_context *ctx, om_text *out)
{
    om_automaton *buchi = NULL;
    const om_heap *heap = om_context_heap(ctx);
    writer w = { .out = out };
    int rc = check_aps(ctx, a);
    if (rc == OM_OK)
        rc = om_automaton_to_buchi(a, ctx, &buchi);
    if (rc != OM_OK)
        return rc;
    w.a = buchi;
    w.number = om_alloc(heap, 2 * (size_t) buchi->states, sizeof *w.number);
    w.copies = om_alloc(heap, 2 * (size_t) buchi->states, sizeof *w.copies);
    w.accept = om_alloc(heap, buchi->states, sizeof *w.accept);
    if (w.number == NULL || w.copies == NULL || w.accept == NULL)
        rc = om_fail_memory(ctx);
    else {
        memset(w.number, 0xff, 2 * (size_t) buchi->states * sizeof *w.number);
        look_at_marks(&w);
        find_copies(&w);
        put_claim(&w);
        rc = om_text_status(out);
    }
    om_free(heap, w.number);
    om_free(heap, w.copies);
    om_free(heap, w.accept);
    om_automaton_free(buchi);
    return rc == OM_ENOMEM ? om_fail_memory(ctx) : rc;
}
