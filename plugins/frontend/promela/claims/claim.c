/* SPDX-License-Identifier: Apache-2.0 */
#include "text/lexer.h"
#include "lower/steps.h"
#include "claims.h"

#include <assert.h>
#include <string.h>

/*
 * The never claim as a Buchi automaton of forbidden runs: its control points are the states, its
 * conditions the labels. It accepts at labels "accept..." and at its end.
 */

enum { MOST_APS = 63 /* one more is reserved for om_model_set_visible() */ };

typedef struct claim {
    pml_lowering *l;
    const pml_proctype *type;
    const pml_graph *graph;
    uint32_t count;
    om_expr expr[MOST_APS];
    char *name[MOST_APS];
} claim;

static int words_of(pml_lowering *l, const pml_expr *e, char **out)
{
    om_text text = { .heap = l->file->region.heap };
    for (const pml_token *t = e->first; t < e->last; t++) {
        if (t != e->first && t->spaced)
            om_text_add(&text, " ");
        om_text_add_n(&text, t->text, t->length);
    }
    *out = text.text;
    return text.failed ? om_fail_memory(l->file->ctx) : OM_OK;
}

/* Returns in *out the proposition of this condition; equal conditions share one. */
static int proposition(claim *c, const pml_expr *e, uint32_t *out)
{
    assert(c->count <= MOST_APS);
    pml_scope s = { .l = c->l };
    om_expr made = 0;
    int rc = pml_lower_expression(&s, e, &made);
    if (rc != OM_OK)
        return rc;
    for (*out = 0; *out < c->count; ++*out)
        if (c->expr[*out] == made) /* equal nodes are shared */
            return OM_OK;
    if (c->count == MOST_APS)
        return PML_REFUSE(
            c->l->file, e->at, "the claim has more than %d different conditions", (int) MOST_APS);
    c->expr[c->count] = made;
    rc = words_of(c->l, e, &c->name[c->count]);
    c->count++;
    return rc;
}

/* Finds the condition of a leaf; *any is false if it has none, or one that is always true. */
static int condition_of(claim *c, const pml_node *leaf, bool *any, uint32_t *ap)
{
    const pml_statement *s = leaf->kind == PML_N_LEAF ? leaf->s : NULL;
    *any = false;
    if (s == NULL || s->kind == PML_S_ELSE || s->kind == PML_S_PRINT || s->kind == PML_S_ASSERT)
        return OM_OK;
    if (s->kind != PML_S_EXPR || pml_run_in(s) != NULL)
        return PML_REFUSE(c->l->file, s->at,
            "a claim may have only conditions and assertions: statements that change the model are "
            "not supported");
    if (s->a->kind == PML_NUMBER && s->a->value != 0)
        return OM_OK;
    *any = true;
    return proposition(c, s->a, ap);
}

static bool is_else(const pml_node *leaf)
{
    return leaf->kind == PML_N_LEAF && leaf->s->kind == PML_S_ELSE;
}

/* Returns true if leaf i, when enabled, rules out leaf k: an escape rules out the sequence that it
 * leaves, and in a d_step the first enabled statement is executed. */
static bool rules_out(const pml_leaves *leaves, size_t i, size_t k)
{
    const pml_node *d_step = leaves->at[k].node->d_step;
    if (i == k || is_else(leaves->at[k].node))
        return i != k;
    return leaves->at[i].rank < leaves->at[k].rank ||
           (i < k && d_step != NULL && leaves->at[i].node->d_step == d_step);
}

/* Builds the label of leaf k: its condition holds, and no leaf that rules it out is enabled. */
static int label_of(claim *c, const pml_leaves *leaves, size_t k, om_cube *out, bool *possible)
{
    bool any = false;
    uint32_t ap = 0;
    int rc = condition_of(c, leaves->at[k].node, &any, &ap);
    *out = (om_cube){ any ? UINT64_C(1) << ap : 0, 0 };
    *possible = true;
    for (size_t i = 0; i < leaves->count && rc == OM_OK; i++) {
        if (!rules_out(leaves, i, k))
            continue;
        rc = condition_of(c, leaves->at[i].node, &any, &ap);
        *possible = *possible && any;
        out->neg |= any ? UINT64_C(1) << ap : 0;
    }
    return rc;
}

/* ---- edges ---- */

/* The step of the claim in one state of the model: one statement, or those of an atomic sequence.
 */
typedef struct step {
    om_automaton *automaton; /* NULL: only collect the conditions */
    uint32_t first, from;    /* automaton states: that of location 1, and the source of the step */
    om_marks marks;
    om_cube label;
    uint32_t length; /* statements so far */
} step;

static int add_edge(const step *s, uint32_t to)
{
    if (s->automaton == NULL || (s->label.pos & s->label.neg) != 0)
        return OM_OK;
    return om_automaton_add_edge(s->automaton, s->from, s->first + to, s->marks, &s->label, 1);
}

/* A failing assertion is a violation, whatever follows: the edge leads to the last state. *s
 * becomes the step on which the assertion holds. */
static int assert_step(claim *c, const pml_statement *t, step *s)
{
    uint32_t ap = 0;
    step fails = *s;
    int rc = proposition(c, t->a, &ap);
    fails.label.neg |= UINT64_C(1) << ap;
    s->label.pos |= UINT64_C(1) << ap;
    return rc == OM_OK ? add_edge(&fails, c->graph->location_count) : rc;
}

/* A d_step that has to wait inside is a violation, too. */
static int blocked_step(claim *c, const pml_leaves *leaves, const step *s)
{
    step fails = *s;
    for (size_t k = 0; k < leaves->count; k++) {
        bool any = false;
        uint32_t ap = 0;
        int rc = condition_of(c, leaves->at[k].node, &any, &ap);
        if (rc != OM_OK || !any)
            return rc;
        fails.label.neg |= UINT64_C(1) << ap;
    }
    return add_edge(&fails, c->graph->location_count);
}

static int leaf_step(claim *c, const pml_leaves *leaves, size_t k, step s);

/* Adds all steps from control point `at`; a sequence that blocks inside is no step. */
static int steps_from(claim *c, const pml_node *at, const step *s)
{
    pml_leaves leaves = { .at = NULL };
    step next = *s;
    next.marks |= at->is_accept || at->kind == PML_N_END ? 1 : 0;
    if (next.length++ > c->graph->location_count)
        return PML_REFUSE(
            c->l->file, c->type->at, "an atomic sequence or a d_step of the claim never ends");
    int rc = pml_leaves_of(c->l->file, at, &leaves);
    for (size_t k = 0; k < leaves.count && rc == OM_OK; k++)
        rc = leaf_step(c, &leaves, k, next);
    if (rc == OM_OK && at->d_step != NULL)
        rc = blocked_step(c, &leaves, &next);
    om_free(c->l->file->region.heap, leaves.at);
    return rc;
}

/* As in SPIN, an atomic sequence or a d_step of a claim is completed before the model moves on. */
static int leaf_step(claim *c, const pml_leaves *leaves, size_t k, step s)
{
    const pml_node *leaf = leaves->at[k].node;
    om_cube label = { 0, 0 };
    bool possible = true;
    int rc = label_of(c, leaves, k, &label, &possible);
    if (rc != OM_OK || !possible)
        return rc;
    s.label.pos |= label.pos;
    s.label.neg |= label.neg;
    if (leaf->kind == PML_N_END)
        return add_edge(&s, leaf->location - 1);
    if (leaf->kind == PML_N_LEAF && leaf->s->kind == PML_S_ASSERT)
        rc = assert_step(c, leaf->s, &s);
    const pml_node *after = pml_after(leaf);
    if (rc != OM_OK)
        return rc;
    const bool more =
        (leaf->atomic && after->inside) || (leaf->d_step != NULL && after->d_step == leaf->d_step);
    return more ? steps_from(c, after, &s) : add_edge(&s, after->location - 1);
}

/* Called twice: first to collect the conditions, then to add the edges. */
static int edges_of(claim *c, om_automaton *a, uint32_t first)
{
    int rc = OM_OK;
    for (uint32_t n = 0; n < c->graph->location_count && rc == OM_OK; n++) {
        step s = { .automaton = a, .first = first, .from = first + n };
        rc = steps_from(c, c->graph->locations[n], &s);
    }
    return rc;
}

/* One state for each control point, and a last one that violations lead to. */
static int add_edges(claim *c, om_automaton *a)
{
    uint32_t first = 0, end = c->graph->location_count;
    om_cube always = { 0, 0 };
    int rc = om_automaton_add_states(a, end + 1, &first);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(a, first + c->graph->start->location - 1);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, 1);
    if (rc == OM_OK)
        rc = edges_of(c, a, first);
    if (rc == OM_OK)
        rc = om_automaton_add_edge(a, first + end, first + end, 1, &always, 1);
    if (rc == OM_OK)
        rc = om_automaton_set_name(a, c->type->name);
    return rc == OM_OK ? om_automaton_finish(a) : rc;
}

static int build(claim *c)
{
    om_automaton *a = NULL;
    int rc = edges_of(c, NULL, 0);
    if (rc == OM_OK)
        rc = om_automaton_new(&a, c->l->file->ctx, c->count, (const char *const *) c->name);
    if (rc == OM_OK)
        rc = add_edges(c, a);
    if (rc != OM_OK) {
        om_automaton_free(a);
        return rc;
    }
    return om_model_add_property(c->l->model, c->type->name, a, c->expr);
}

static int lower_claim(pml_lowering *l, pml_proctype *t)
{
    claim *c = NULL;
    if (t->variables != NULL)
        return PML_FAIL(l->file, t->variables->at, "a claim cannot have variables of its own");
    int rc = pml_build_graph(l->file, t);
    if (rc == OM_OK) {
        c = om_alloc(l->file->region.heap, 1, sizeof *c);
        rc = c == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    }
    if (rc != OM_OK)
        return rc;
    c->l = l;
    c->type = t;
    c->graph = t->graph;
    rc = build(c);
    for (uint32_t i = 0; i < c->count; i++)
        om_free(l->file->region.heap, c->name[i]);
    om_free(l->file->region.heap, c);
    return rc;
}

int pml_lower_claims(pml_lowering *l)
{
    int rc = OM_OK;
    for (pml_proctype *t = l->file->claim; t != NULL && rc == OM_OK; t = t->next_claim)
        rc = lower_claim(l, t);
    return rc;
}
