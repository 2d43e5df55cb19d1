/* SPDX-License-Identifier: Apache-2.0 */
#include "flow_graph.h"

#include "read/elements.h"

#include <assert.h>
#include <string.h>

enum { LONGEST_HUNT = 500 };

/* A graph under construction. */
typedef struct builder {
    pml_file *file;
    pml_graph *graph;
    const pml_proctype *type;
    pml_node *d_step;
    pml_node *leave; /* target of `break` in the innermost loop */
    pml_index remotes;
} builder;

static pml_node *new_node(builder *b, pml_node_kind kind, pml_statement *s)
{
    pml_graph *g = b->graph;
    pml_node *n = om_region_take(&b->file->region, 1, sizeof *n);
    pml_node **grown =
        om_grow(b->file->region.heap, g->nodes, &g->capacity, g->count + 1, sizeof(pml_node *));
    if (grown != NULL)
        g->nodes = grown;
    if (n == NULL || grown == NULL) {
        (void) om_fail_memory(b->file->ctx);
        return NULL;
    }
    n->kind = kind;
    n->s = s;
    n->d_step = b->d_step;
    n->element = s == NULL ? 0 : kind == PML_N_JUMP ? s->jump : s->element;
    n->number = (uint32_t) g->count;
    g->nodes[g->count++] = n;
    return n;
}

static int build_sequence(
    builder *b, pml_statement *s, pml_node *after, pml_node **first, pml_node **last);

/* Returns the key for names that are looked up in one block alone. */
static const void *within(const pml_block *block)
{
    static const char nowhere;
    return block == NULL ? (const void *) &nowhere : block;
}

static int mark(builder *b, const pml_statement *s, pml_node *n)
{
    for (const pml_label *l = s->labels; l != NULL; l = l->next) {
        const size_t length = strlen(l->name);
        if (pml_index_get(&b->graph->marks, l->name, length, within(l->block)) != NULL)
            return PML_FAIL(b->file, l->at, "the label \"%s\" is defined twice", l->name);
        pml_mark *m = om_region_take(&b->file->region, 1, sizeof *m);
        if (m == NULL)
            return om_fail_memory(b->file->ctx);
        *m = (pml_mark){ l, n, b->graph->mark_count++ };
        if (!pml_index_put(&b->graph->marks, l->name, length, NULL, m) ||
            !pml_index_put(&b->graph->marks, l->name, length, within(l->block), m))
            return om_fail_memory(b->file->ctx);
        n->label = n->label == NULL ? l->name : n->label;
        n->is_end = n->is_end || pml_begins(l->name, "end");
        n->is_progress = n->is_progress || pml_begins(l->name, "progress");
        n->is_accept = n->is_accept || pml_begins(l->name, "accept");
    }
    return OM_OK;
}

/* Builds a choice and the node after it, where its options meet (for a loop, the target of
 * `break`). */
static int build_choice(builder *b, pml_statement *s, pml_node **entry, pml_node **exit)
{
    pml_node *leave = b->leave;
    uint32_t count = 0, i = 0;
    int rc = OM_OK;
    for (const pml_option *o = s->options; o != NULL; o = o->next)
        count++;
    *entry = new_node(b, PML_N_CHOICE, s);
    *exit = new_node(b, PML_N_JUMP, NULL);
    if (*entry == NULL || *exit == NULL)
        return om_fail_memory(b->file->ctx);
    (*exit)->element = pml_exit_element(s);
    pml_node *n = *entry;
    n->options = om_region_take(&b->file->region, count, sizeof(pml_node *));
    n->option_count = count;
    if (n->options == NULL)
        return om_fail_memory(b->file->ctx);
    if (s->kind == PML_S_DO)
        b->leave = *exit;
    /* As in SPIN, an option that begins with `else` comes last. */
    for (int other = 0; other < 2; other++)
        for (pml_option *o = s->options; o != NULL && rc == OM_OK; o = o->next)
            if ((o->body->kind == PML_S_ELSE) == (other == 1))
                rc = build_sequence(
                    b, o->body, s->kind == PML_S_DO ? n : *exit, &n->options[i++], NULL);
    b->leave = leave;
    assert(rc != OM_OK || i == count);
    return rc;
}

/* Marks the nodes from..to of a block as atomic, except for its last element. */
static void mark_atomic(builder *b, pml_node *block, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        b->graph->nodes[i]->atomic = b->graph->nodes[i]->inside = true;
    pml_node *last = block->last;
    while (last->kind == PML_N_BLOCK && last->s->kind != PML_S_D_STEP)
        last = last->last;
    last->atomic = false;
}

static int build_block(builder *b, pml_statement *s, pml_node **entry, pml_node **exit)
{
    pml_node *outer = b->d_step;
    if (outer != NULL && s->kind == PML_S_ATOMIC)
        return PML_FAIL(b->file, s->at, "an atomic sequence is not allowed in a d_step");
    *entry = new_node(b, PML_N_BLOCK, s);
    *exit = new_node(b, PML_N_JOIN, NULL);
    if (*entry == NULL || *exit == NULL)
        return om_fail_memory(b->file->ctx);
    (*entry)->next = *exit;
    if (s->kind == PML_S_D_STEP && outer == NULL)
        b->d_step = *entry;
    size_t from = b->graph->count;
    int rc = build_sequence(b, s->body, *exit, &(*entry)->first, &(*entry)->last);
    b->d_step = outer;
    if (rc == OM_OK && s->kind == PML_S_ATOMIC)
        mark_atomic(b, *entry, from, b->graph->count);
    b->graph->exclusive = b->graph->exclusive || s->kind == PML_S_ATOMIC || s->kind == PML_S_D_STEP;
    return rc;
}

/* ---- unless ---- */

/* Attaches the escape that begins at `first` to the statement at n. It takes precedence over the
 * escapes attached earlier: outer ones are attached last. */
static int attach(builder *b, pml_node *n, pml_node *first, const pml_node *unless)
{
    pml_escape *e = om_region_take(&b->file->region, 1, sizeof *e);
    if (e == NULL)
        return om_fail_memory(b->file->ctx);
    *e = (pml_escape){ first, unless, n->escapes };
    n->escapes = e;
    return OM_OK;
}

/* A d_step that has begun is not left: the escape is attached to the statements that it may begin
 * with. */
static int attach_to_d_step(builder *b, pml_node *d_step, pml_node *first, const pml_node *unless)
{
    pml_leaves leaves = { .at = NULL };
    int rc = pml_add_leaves(b->file, d_step, &leaves);
    for (size_t i = 0; i < leaves.count && rc == OM_OK; i++)
        rc = attach(b, b->graph->nodes[leaves.at[i].node->number], first, unless);
    om_free(b->file->region.heap, leaves.at);
    return rc;
}

/* Returns the sequence of a block without labels, which is not an element of its own; else s. */
static pml_statement *opened(pml_statement *s)
{
    return s->kind == PML_S_BLOCK && s->labels == NULL && s->next == NULL ? s->body : s;
}

/* The escape is attached to the whole body, including the sequences to which inner `unless`
 * escape. */
static int build_unless(builder *b, pml_statement *s, pml_node **entry, pml_node **exit)
{
    pml_node *escape = NULL;
    pml_graph *g = b->graph;
    if (b->d_step != NULL)
        return PML_FAIL(b->file, s->at, "\"unless\" is not allowed in a d_step");
    *entry = new_node(b, PML_N_UNLESS, s);
    *exit = new_node(b, PML_N_JUMP, NULL);
    if (*entry == NULL || *exit == NULL)
        return om_fail_memory(b->file->ctx);
    (*exit)->element = pml_exit_element(s);
    size_t from = g->count;
    int rc = build_sequence(b, opened(s->body), *exit, &(*entry)->first, NULL);
    size_t to = g->count;
    if (rc == OM_OK && opened(s->body) == s->body)
        (*entry)->first->bare = *entry;
    if (rc == OM_OK)
        rc = build_sequence(b, opened(s->escape), *exit, &escape, NULL);
    for (size_t i = from; i < to && rc == OM_OK; i++) {
        pml_node *n = g->nodes[i];
        if (n->kind == PML_N_BLOCK && n->s->kind == PML_S_D_STEP)
            rc = attach_to_d_step(b, n, escape, *entry);
        else if (n->d_step == NULL && (n->kind == PML_N_LEAF || n->kind == PML_N_JUMP) &&
                 n->s != NULL)
            rc = attach(b, n, escape, *entry);
    }
    return rc;
}

/* Collects the labels of the type that expressions name. */
static int find_remotes(builder *b)
{
    for (pml_expr *e = b->type->remotes; e != NULL; e = e->remote)
        if (!pml_index_put(&b->remotes, e->label, strlen(e->label), NULL, e))
            return om_fail_memory(b->file->ctx);
    return om_context_stopped(b->file->ctx);
}

static bool is_remote(const builder *b, const char *label)
{
    return pml_index_get(&b->remotes, label, strlen(label), NULL) != NULL;
}

/* A jump takes no step, so that no process would be seen at such a label: SPIN inserts a `skip`
 * before it. */
static bool needs_skip(const builder *b, const pml_statement *s)
{
    bool remote = false;
    for (const pml_label *l = s->labels; l != NULL; l = l->next)
        remote = remote || is_remote(b, l->name);
    return remote || pml_has_skip(s);
}

static int build_jump(builder *b, pml_statement *s, pml_node **entry, pml_node **exit)
{
    if (s->kind == PML_S_BREAK && b->leave == NULL)
        return PML_FAIL(b->file, s->at, "\"break\" is not in a loop");
    *exit = *entry = new_node(b, PML_N_JUMP, s);
    if (*exit == NULL)
        return om_fail_memory(b->file->ctx);
    if (s->kind == PML_S_BREAK)
        (*exit)->next = b->leave;
    if (!needs_skip(b, s))
        return OM_OK;
    pml_statement *skip = om_region_take(&b->file->region, 1, sizeof *skip);
    pml_expr *one = om_region_take(&b->file->region, 1, sizeof *one);
    if (skip == NULL || one == NULL)
        return om_fail_memory(b->file->ctx);
    *one = (pml_expr){ .kind = PML_NUMBER, .value = 1, .at = s->at };
    *skip = (pml_statement){ .kind = PML_S_EXPR, .at = s->at, .a = one };
    skip->first = s->first;
    skip->last = s->last;
    *entry = new_node(b, PML_N_LEAF, skip);
    if (*entry == NULL)
        return om_fail_memory(b->file->ctx);
    (*entry)->element = s->element;
    (*entry)->next = *exit;
    return OM_OK;
}

static int build_statement(builder *b, pml_statement *s, pml_node **entry, pml_node **exit)
{
    int rc = OM_OK;
    switch (s->kind) {
    case PML_S_IF:
    case PML_S_DO:
        rc = build_choice(b, s, entry, exit);
        break;
    case PML_S_BLOCK:
    case PML_S_ATOMIC:
    case PML_S_D_STEP:
        rc = build_block(b, s, entry, exit);
        break;
    case PML_S_UNLESS:
        rc = build_unless(b, s, entry, exit);
        break;
    case PML_S_BREAK:
    case PML_S_GOTO:
        rc = build_jump(b, s, entry, exit);
        break;
    default:
        *entry = *exit = new_node(b, PML_N_LEAF, s);
        break;
    }
    if (rc == OM_OK && (*entry == NULL || *exit == NULL))
        rc = om_fail_memory(b->file->ctx);
    if (rc == OM_OK)
        (*entry)->end = (uint32_t) b->graph->count;
    return rc == OM_OK ? mark(b, s, *entry) : rc;
}

static int build_sequence(
    builder *b, pml_statement *s, pml_node *after, pml_node **first, pml_node **last)
{
    pml_node *before = NULL;
    int rc = OM_OK;
    for (; s != NULL && rc == OM_OK; s = s->next) {
        pml_node *entry = NULL, *exit = NULL;
        rc = build_statement(b, s, &entry, &exit);
        if (rc != OM_OK)
            return rc;
        if (before == NULL)
            *first = entry;
        else if (before->s == NULL || before->kind != PML_N_JUMP)
            before->next = entry;
        before = exit;
        /* The last element of a sequence: for a choice, where its options meet; for a block, the
         * block itself. */
        if (last != NULL)
            *last = entry->kind == PML_N_BLOCK ? entry : exit;
    }
    if (before == NULL)
        *first = after;
    else if (before->s == NULL || before->kind != PML_N_JUMP)
        before->next = after;
    return rc;
}

const pml_node *pml_marked(const pml_graph *g, const char *label)
{
    const pml_mark *m = pml_index_get(&g->marks, label, strlen(label), NULL);
    return m == NULL ? NULL : m->node;
}

/* Among the labels with that name, chooses as SPIN does: the label of the same block, else the
 * first one of an enclosing block, else the last one. */
static pml_node *target_of(const builder *b, const pml_statement *s)
{
    const pml_index *marks = &b->graph->marks;
    const size_t length = strlen(s->name);
    const pml_mark *found = pml_index_get(marks, s->name, length, within(s->block));
    if (found != NULL)
        return found->node;
    for (const pml_block *around = s->block; around != NULL;) {
        around = around->around;
        const pml_mark *m = pml_index_get(marks, s->name, length, within(around));
        if (m != NULL && (found == NULL || m->number < found->number))
            found = m;
    }
    if (found == NULL)
        found = pml_index_get(marks, s->name, length, NULL);
    return found == NULL ? NULL : found->node;
}

static int resolve_goto(builder *b, pml_node *n)
{
    n->next = target_of(b, n->s);
    if (n->next == NULL)
        return PML_FAIL(b->file, n->s->at, "there is no label \"%s\"", n->s->name);
    if (n->d_step != n->next->d_step)
        return PML_FAIL(b->file, n->s->at, "a jump into or out of a d_step is not allowed");
    return OM_OK;
}

/*
 * Gives each goto its target. As in SPIN, a goto or a break continues the atomic sequence exactly
 * if its target is in one: a jump out of a sequence ends it, even in the middle, and a jump from
 * the end of one sequence into another joins the two.
 */
static int resolve(builder *b)
{
    int rc = OM_OK;
    for (size_t i = 0; i < b->graph->count && rc == OM_OK; i++) {
        pml_node *n = b->graph->nodes[i];
        if (n->kind != PML_N_JUMP || n->s == NULL)
            continue;
        if (n->s->kind == PML_S_GOTO)
            rc = resolve_goto(b, n);
        if (rc == OM_OK)
            n->atomic = n->inside && n->next->inside;
    }
    return rc;
}

static pml_node *joined(pml_node *n)
{
    while (n->kind == PML_N_JOIN)
        n = n->next;
    return n;
}

pml_node *pml_hunt(pml_node *n, bool atomic)
{
    n = joined(n);
    for (int i = 0; i < LONGEST_HUNT; i++) {
        if (n->kind != PML_N_JUMP && n->kind != PML_N_UNLESS)
            break;
        pml_node *target = joined(n->kind == PML_N_JUMP ? n->next : n->first);
        if (target == n || (atomic && !target->atomic))
            break;
        n = target;
    }
    return n;
}

pml_node *pml_after(const pml_node *leaf)
{
    assert(leaf->kind == PML_N_LEAF || leaf->kind == PML_N_JUMP); /* G2 */
    if (leaf->d_step == NULL)
        return pml_hunt(leaf->next, leaf->atomic);
    pml_node *n = pml_hunt(leaf->next, false);
    return n->d_step == leaf->d_step ? n : pml_hunt(leaf->d_step->next, leaf->d_step->atomic);
}

/* Makes n a control point, if it is none yet, and queues it. */
static void reach(pml_graph *g, pml_node *n)
{
    assert(n->location == 0 || g->locations[n->location - 1] == n); /* G1 */
    assert(n->kind != PML_N_JOIN);                                  /* G2 */
    if (n->location != 0)
        return;
    g->locations[g->location_count++] = n;
    n->location = g->location_count;
}

static int find_locations(builder *b)
{
    pml_graph *g = b->graph;
    pml_leaves leaves = { .at = NULL };
    int rc = OM_OK;
    g->locations = om_region_take(&b->file->region, g->count, sizeof(pml_node *));
    if (g->locations == NULL)
        return om_fail_memory(b->file->ctx);
    reach(g, g->start);
    for (uint32_t i = 0; i < g->location_count && rc == OM_OK; i++) {
        rc = pml_leaves_of(b->file, g->locations[i], &leaves);
        for (size_t k = 0; k < leaves.count && rc == OM_OK; k++)
            if (leaves.at[k].node->kind != PML_N_END)
                reach(g, pml_after(leaves.at[k].node));
    }
    om_free(b->file->region.heap, leaves.at);
    return rc;
}

/* LONGEST_HUNT bounds the walk along a cycle of jumps without a statement. */
int pml_build_graph(pml_file *f, pml_proctype *t)
{
    pml_graph *g = om_region_take(&f->region, 1, sizeof *g);
    builder b = { .file = f, .graph = g, .type = t, .remotes = { .region = &f->region } };
    if (g == NULL)
        return om_fail_memory(f->ctx);
    t->graph = g;
    pml_node *first = NULL;
    g->end = new_node(&b, PML_N_END, NULL);
    g->marks.region = &f->region;
    int rc = g->end == NULL ? om_fail_memory(f->ctx) : find_remotes(&b);
    if (rc == OM_OK) {
        g->end->element = t->end_element;
        rc = build_sequence(&b, t->body, g->end, &first, NULL);
    }
    if (rc == OM_OK)
        rc = resolve(&b);
    if (rc == OM_OK) {
        g->start = pml_hunt(first, false);
        rc = find_locations(&b);
    }
    assert(rc != OM_OK || g->start->location == 1); /* G1 */
    om_free(f->region.heap, g->nodes);
    g->nodes = NULL;
    return rc;
}
