/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body, and the selection of an automaton in a file. Labels are evaluated as BDDs, because
 * aliases and brackets allow arbitrary formulas, and stored as irredundant cubes. The nodes of
 * aliases stay in the space; those of labels are forgotten when there are many of them.
 *
 * A file is read once, from start to end. Its declarations are not trusted: memory grows with the
 * text read, so that "States: 4000000000" in a short file costs nothing.
 */
#include "hoa.h"

#include <string.h>

enum {
    BDD_CLEAN = 1 << 14,
    MOST_NODES = 1 << 20,
    MOST_CUBES = 1 << 16, /* of a label */
    MOST_BYTES = 1 << 30
};

/* The state whose edges are being read. */
typedef struct om_hoa_from {
    uint32_t state;
    om_marks marks;
    bool labelled;  /* the state has a label, */
    om_cube *cubes; /* which consists of these cubes */
    size_t cube_count;
    size_t edges, with_label;
} om_hoa_from;

/* ---- the body ---- */

/* acc-sig ::= "{" INT* "}", or nothing */
static int read_marks(om_hoa_reader *r, om_marks *marks)
{
    if (!om_hoa__is_sign(r, '{'))
        return OM_OK;
    int rc = om_hoa__next(r);
    while (rc == OM_OK && r->token.kind == OM_HOA_INT) {
        if (r->token.value >= r->sets)
            return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
                "there is no acceptance set with number %s", om_hoa__show(r));
        *marks |= UINT64_C(1) << r->token.value;
        rc = om_hoa__next(r);
    }
    if (rc == OM_OK && !om_hoa__is_sign(r, '}'))
        rc = om_hoa__expected(r, "the number of an acceptance set or '}'");
    return rc == OM_OK ? om_hoa__next(r) : rc;
}

/* label ::= "[" label-expr "]"; the cubes are in r->cubes until the next label. */
static int read_label(om_hoa_reader *r)
{
    om_bdd label = OM_BDD_FALSE;
    om_hoa_token at = r->token;
    int rc = om_hoa__next(r);
    if (rc == OM_OK)
        rc = om_hoa__label(r, &label);
    if (rc == OM_OK && !om_hoa__is_sign(r, ']'))
        rc = om_hoa__expected(r, "']', '&' or '|'");
    if (rc == OM_OK)
        rc = om_hoa__next(r);
    if (rc != OM_OK)
        return rc;
    rc = om_bdd_cubes(r->bdd, label, 0, MOST_CUBES, &r->cubes);
    if (rc != OM_OK)
        return om_hoa__label_failure(r, &at);
    if (om_bdd_space_count(r->bdd) > BDD_CLEAN + r->bdd_kept)
        om_bdd_space_forget(r->bdd, r->bdd_kept);
    return OM_OK;
}

/* Gives the label of the next edge of a state with implicit labels: AP j is bit j of its number. */
static int implicit_label(om_hoa_reader *r, const om_hoa_from *from, om_cube *cube)
{
    uint64_t known = om_tela__first_bits(r->ap_count);
    if (from->edges > known)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "state %u has neither labels nor exactly one edge for each valuation of the %u atomic "
            "propositions",
            from->state, (unsigned) r->ap_count);
    *cube = (om_cube){ from->edges, known & ~(uint64_t) from->edges };
    return OM_OK;
}

/* edge ::= label? INT acc-sig? */
static int read_edge(om_hoa_reader *r, om_hoa_from *from)
{
    om_marks marks = from->marks;
    const om_cube *cubes = from->cubes;
    size_t count = from->cube_count;
    om_cube one = { 0, 0 };
    uint32_t to = 0;
    bool label = om_hoa__is_sign(r, '[');
    int rc = OM_OK;

    if (label && from->labelled)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "an edge with a label leaves state %u, which has a label itself", from->state);
    if (from->edges > 0 && label != (from->with_label > 0))
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "some edges of state %u have labels and some have none", from->state);
    if (label) {
        rc = read_label(r);
        from->with_label++;
        cubes = r->cubes.cubes;
        count = r->cubes.count;
    } else if (!from->labelled) {
        rc = implicit_label(r, from, &one);
        cubes = &one;
        count = 1;
    }
    if (rc == OM_OK)
        rc = om_hoa__state(r, &to);
    if (rc == OM_OK)
        rc = read_marks(r, &marks);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(r->out, from->state, to, marks, cubes, (uint32_t) count);
    from->edges++;
    return rc;
}

static int define_state(om_hoa_reader *r, const om_hoa_token *at, uint32_t state)
{
    size_t old = r->defined_capacity;
    bool *moved =
        om_grow(r->heap, r->defined, &r->defined_capacity, (size_t) state + 1, sizeof *moved);
    if (moved == NULL)
        return om_fail_memory(r->ctx);
    r->defined = moved;
    memset(r->defined + old, 0, (r->defined_capacity - old) * sizeof *r->defined);
    if (r->defined[state])
        return om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, at), "state %u is defined twice", state);
    r->defined[state] = true;
    return OM_OK;
}

/* state-name ::= "State:" label? INT STRING? acc-sig?; the string is ignored. */
static int read_state_name(om_hoa_reader *r, om_hoa_from *from)
{
    int rc = om_hoa__next(r);
    if (rc == OM_OK && om_hoa__is_sign(r, '[')) {
        rc = read_label(r);
        if (rc != OM_OK)
            return rc;
        /* The label outlives r->cubes, which a label of an edge would overwrite. */
        from->labelled = true;
        from->cube_count = r->cubes.count;
        from->cubes = om_alloc(r->heap, from->cube_count, sizeof *from->cubes);
        if (from->cubes == NULL)
            return om_fail_memory(r->ctx);
        if (from->cube_count > 0)
            memcpy(from->cubes, r->cubes.cubes, from->cube_count * sizeof *from->cubes);
    }
    om_hoa_token at = r->token;
    if (rc == OM_OK)
        rc = om_hoa__state(r, &from->state);
    if (rc == OM_OK)
        rc = define_state(r, &at, from->state);
    if (rc == OM_OK && r->token.kind == OM_HOA_STRING)
        rc = om_hoa__next(r);
    if (rc == OM_OK)
        rc = read_marks(r, &from->marks);
    if (from->marks != 0 && r->marked_state == OM_NONE)
        r->marked_state = from->state;
    return rc;
}

/* state-name edge* */
static int read_state(om_hoa_reader *r)
{
    om_hoa_from from = { .state = 0 };
    int rc = read_state_name(r, &from);
    while (rc == OM_OK && (om_hoa__is_sign(r, '[') || r->token.kind == OM_HOA_INT))
        rc = read_edge(r, &from);
    if (rc == OM_OK && from.edges > 0 && !from.labelled && from.with_label == 0 &&
        (r->ap_count >= 64 || from.edges != UINT64_C(1) << r->ap_count))
        rc = om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "the %zu edges of state %u have no labels, but edges without labels must be one for "
            "each valuation of the %u atomic propositions",
            from.edges, from.state, (unsigned) r->ap_count);
    om_free(r->heap, from.cubes);
    return rc;
}

/* Checks that every used or declared state is defined. */
static int check_states(om_hoa_reader *r)
{
    uint64_t count = r->states != UINT64_MAX ? r->states : r->highest;
    for (uint64_t s = 0; s < count; s++)
        if (s >= r->defined_capacity || !r->defined[s])
            return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r), "state %llu is never defined",
                (unsigned long long) s);
    return om_automaton_add_states(r->out, (uint32_t) count, NULL);
}

/*
 * Resolves Fin(!i) and Inf(!i), which refer to the edges outside set i. If i occurs only
 * complemented, the set itself is complemented; else the complement becomes an additional set.
 */
static int settle_complements(om_hoa_reader *r)
{
    uint8_t number[OM_MAX_SETS];
    uint32_t sets = (uint32_t) r->sets;
    for (uint32_t i = 0; i < r->sets; i++) {
        om_marks bit = UINT64_C(1) << i;
        if ((r->complemented & bit) == 0)
            continue;
        number[i] = (uint8_t) ((r->plain & bit) != 0 ? sets++ : i);
        if (sets > OM_MAX_SETS)
            return om_fail(r->ctx, OM_EUNSUPPORTED, om_hoa__here(r),
                "more than %d acceptance sets after Fin(!i) and Inf(!i) are replaced by sets of "
                "their own",
                OM_MAX_SETS);
        for (size_t e = 0; e < r->out->edge_count; e++) {
            om_marks *marks = &r->out->edges[e].marks;
            bool in = (*marks & bit) != 0;
            *marks &= ~(UINT64_C(1) << number[i]);
            *marks |= in ? 0 : UINT64_C(1) << number[i];
        }
    }
    for (size_t i = 0; i < r->acc_length; i++)
        if (r->acc[i].set >= 128)
            r->acc[i].set = number[r->acc[i].set - 128];
    return om_automaton_set_acceptance(r->out, sets, r->acc, r->acc_length);
}

/* body ::= (state-name edge*)* */
static int read_body(om_hoa_reader *r)
{
    int rc = om_hoa__next(r);
    while (rc == OM_OK && r->token.kind != OM_HOA_END) {
        if (!om_hoa__is_word(r, OM_HOA_HEADER, "State"))
            return om_hoa__expected(r, "'State:', an edge or --END--");
        rc = read_state(r);
    }
    if (rc == OM_OK)
        rc = check_states(r);
    for (size_t i = 0; rc == OM_OK && i < r->starts.count; i++)
        rc = om_automaton_add_initial(r->out, (uint32_t) r->starts.items[i]);
    if (rc == OM_OK)
        rc = settle_complements(r);
    if (rc == OM_OK)
        rc = om_automaton_finish(r->out);
    return rc == OM_OK ? om_hoa__check_properties(r) : rc;
}

/* ---- selection of one automaton ---- */

/* Discards the automaton read last. */
static void reset(om_hoa_reader *r)
{
    for (size_t i = 0; i < r->ap_count; i++)
        om_free(r->heap, r->aps[i]);
    om_free(r->heap, r->name);
    om_automaton_free(r->out);
    om_bdd_space_forget(r->bdd, 0);
    if (r->defined != NULL)
        memset(r->defined, 0, r->defined_capacity * sizeof *r->defined);
    if (r->alias_index != NULL)
        memset(r->alias_index, 0, r->alias_places * sizeof *r->alias_index);
    r->name = NULL;
    r->out = NULL;
    r->ap_count = r->alias_count = r->acc_length = r->starts.count = 0;
    r->sets = r->ap_used = r->highest = 0;
    r->seen = 0;
    r->states = UINT64_MAX;
    r->plain = r->complemented = 0;
    r->acc_name = (om_hoa_acc_name){ .word_count = 0 };
    memset(r->declared, 0, sizeof r->declared);
    r->stutter_invariant = false;
    r->marked_state = OM_NONE;
}

static void release(om_hoa_reader *r)
{
    reset(r);
    om_bdd_space_free(r->bdd);
    om_free(r->heap, r->cubes.cubes);
    om_free(r->heap, r->operators.items);
    om_free(r->heap, r->operands.items);
    om_free(r->heap, r->starts.items);
    om_free(r->heap, r->acc);
    om_free(r->heap, r->aliases);
    om_free(r->heap, r->alias_index);
    om_free(r->heap, r->aps);
    om_free(r->heap, r->defined);
}

/* Reads the automaton after "HOA:", up to --END--. */
static int read_one(om_hoa_reader *r)
{
    int rc = OM_OK;
    reset(r);
    rc = om_hoa__header(r);
    if (rc == OM_OK)
        rc =
            om_automaton_new(&r->out, r->ctx, (uint32_t) r->ap_count, (const char *const *) r->aps);
    if (rc == OM_OK)
        rc = om_tela__place_aps(r->out, r->ap_lines, r->ap_columns);
    if (rc == OM_OK && r->name != NULL)
        rc = om_automaton_set_name(r->out, r->name);
    if (rc == OM_OK)
        r->out->stutter_invariant = r->stutter_invariant;
    return rc == OM_OK ? read_body(r) : rc;
}

/* Skips an automaton that was not requested. */
static int skip_one(om_hoa_reader *r)
{
    int rc = OM_OK;
    while (rc == OM_OK && r->token.kind != OM_HOA_END) {
        if (r->token.kind == OM_HOA_EOF)
            return om_hoa__expected(r, "--END--");
        rc = om_hoa__next(r);
    }
    return rc;
}

/* Moves past the next "HOA:"; *more is false at the end of the file. */
static int next_automaton(om_hoa_reader *r, bool *more)
{
    int rc = om_hoa__next(r);
    *more = false;
    if (rc == OM_HOA_ABORTED ||
        (rc == OM_OK && r->token.kind != OM_HOA_EOF && !om_hoa__is_word(r, OM_HOA_HEADER, "HOA")))
        return om_hoa__expected(r, "'HOA:'");
    if (rc != OM_OK || r->token.kind == OM_HOA_EOF)
        return rc;
    *more = true;
    return om_hoa__next(r);
}

static int fail_not_found(om_hoa_reader *r, uint32_t which, uint32_t seen, uint32_t aborted)
{
    if (which > 1)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "there is no automaton number %u: the file has %u", which, seen);
    if (aborted > 0)
        return om_fail(r->ctx, OM_EINPUT, om_hoa__here(r),
            "the tool that wrote this automaton aborted it (--ABORT--)");
    return om_hoa__expected(r, "'HOA:'");
}

/* Reads automaton number `which` (0: the only one) into *found. Aborted automata do not count. */
static int read_all(om_hoa_reader *r, uint32_t which, om_automaton **found)
{
    uint32_t seen = 0, aborted = 0;
    bool more = false;
    for (;;) {
        int rc = next_automaton(r, &more);
        if (rc == OM_OK && !more)
            return *found != NULL ? OM_OK : fail_not_found(r, which, seen, aborted);
        bool wanted = which == 0 ? seen == 0 : seen + 1 == which;
        om_hoa_token start = r->token;
        if (rc == OM_OK)
            rc = wanted ? read_one(r) : skip_one(r);
        if (rc == OM_HOA_ABORTED) {
            aborted++;
            continue;
        }
        if (rc != OM_OK)
            return rc;
        seen++;
        if (wanted) {
            *found = r->out;
            r->out = NULL;
        }
        if (wanted && which != 0)
            return OM_OK;
        if (which == 0 && seen > 1)
            return om_fail(r->ctx, OM_EINPUT, om_hoa__at(r, &start),
                "the file has several automata; expected one");
    }
}

int om_hoa_read(om_automaton **out, om_context *ctx, const char *file, const char *text,
    size_t length, uint32_t which)
{
    const om_heap *heap = om_context_heap(ctx);
    om_hoa_reader r = { .ctx = ctx,
        .heap = heap,
        .file = file,
        .input = length == 0 ? "" : text,
        .length = length,
        .line = 1,
        .column = 1,
        .states = UINT64_MAX };
    om_automaton *found = NULL;
    int rc = om_bdd_space_new(&r.bdd, ctx, MOST_NODES);
    if (rc != OM_OK)
        return rc;
    rc = read_all(&r, which, &found);
    release(&r);
    if (rc != OM_OK) {
        om_automaton_free(found);
        return rc;
    }
    *out = found;
    return OM_OK;
}

int om_hoa_read_file(om_automaton **out, om_context *ctx, const char *path, uint32_t which)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(ctx, path, MOST_BYTES, &text, &length);
    if (rc == OM_OK)
        rc = om_hoa_read(out, ctx, path, text, length, which);
    om_free(om_context_heap(ctx), text);
    return rc;
}
