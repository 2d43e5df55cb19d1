/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the statements of a never claim to an automaton. A state is a statement at which control
 * waits; jumps are followed to reach one. The first steps that the claim can take there are the
 * edges of the state. The end of the claim and failed assertions lead to one more state, which
 * accepts everything.
 *
 * N1  A parent has a lower number than its children; a break is inside a loop.
 * N2  A visit pushes each node at most once, and the end at most once a node.
 */
#include "never.h"

#include <assert.h>
#include <string.h>

enum { MOST_CUBES = 1 << 16 };

typedef struct graph {
    om_never_reader *r;
    om_automaton *a;
    uint32_t end;     /* the number of nodes: represents the claim's end */
    uint32_t *number; /* state of each node and of the end; OM_NONE: none yet */
    uint32_t *states; /* the nodes of the states */
    uint32_t state_count;
    uint32_t *stack; /* nodes still to be visited */
    uint32_t *seen;  /* per node: the last visit (`looks`) */
    uint32_t looks;
} graph;

static const om_never_node *node_of(const graph *g, uint32_t n)
{
    assert(n < g->end);
    return &g->r->nodes[n];
}

/* Computes the successor of each node in the control flow. Parents precede their children. */
static int link_nodes(om_never_reader *r)
{
    for (uint32_t i = 0; i < r->node_count; i++) {
        om_never_node *n = &r->nodes[i];
        assert(n->parent == OM_NONE || n->parent < i); /* N1 */
        const om_never_node *parent = n->parent == OM_NONE ? NULL : &r->nodes[n->parent];
        if (n->sibling != OM_NONE)
            n->succ = n->sibling;
        else if (parent == NULL)
            n->succ = (uint32_t) r->node_count;
        else
            n->succ = parent->op == OM_NEVER_DO ? n->parent : parent->succ;
        if (n->op == OM_NEVER_BLOCK && n->accept)
            r->nodes[n->child].accept = true;
        if (n->op == OM_NEVER_GOTO) {
            const om_never_name *label = om_never__find(&r->labels, &n->at);
            if (label == NULL)
                return om_fail(r->ctx, OM_EINPUT, om_never__at(r, &n->at),
                    "there is no label '%.*s'", (int) n->at.length, n->at.text);
            n->succ = label->value;
        } else if (n->op == OM_NEVER_BREAK) {
            uint32_t loop = n->parent;
            while (r->nodes[loop].op != OM_NEVER_DO) {
                loop = r->nodes[loop].parent;
                assert(loop != OM_NONE); /* N1 */
            }
            n->succ = r->nodes[loop].succ;
        }
    }
    return OM_OK;
}

/* Follows jumps and enters blocks. A label inside an atomic applies to the whole atomic. */
static int settle(graph *g, uint32_t *at)
{
    uint32_t n = *at, start = *at;
    for (uint32_t steps = 0; n != g->end; steps++) {
        const om_never_node *x = node_of(g, n);
        if (x->op == OM_NEVER_BLOCK)
            n = x->child;
        else if (x->op == OM_NEVER_GOTO || x->op == OM_NEVER_BREAK)
            n = x->succ;
        else
            break;
        if (steps > g->end)
            return om_fail(g->r->ctx, OM_EINPUT, om_never__at(g->r, &node_of(g, start)->at),
                "the jumps from here form a cycle without any statement");
    }
    *at = n;
    return OM_OK;
}

/* Gives the state of a node, or of the end; new ones are appended to g->states. */
static int state_of(graph *g, uint32_t node, uint32_t *state)
{
    int rc = settle(g, &node);
    if (rc != OM_OK)
        return rc;
    if (g->number[node] == OM_NONE) {
        g->number[node] = g->state_count;
        g->states[g->state_count++] = node;
        rc = om_automaton_add_states(g->a, 1, NULL);
    }
    *state = g->number[node];
    return rc;
}

static int add_edge(graph *g, uint32_t from, om_bdd label, uint32_t node, const om_never_token *at)
{
    uint32_t to = 0;
    om_never_reader *r = g->r;
    if (label == OM_BDD_NONE)
        return om_never__bdd_failure(r, at);
    if (label == OM_BDD_FALSE)
        return OM_OK;
    int rc = state_of(g, node, &to);
    if (rc == OM_OK && om_bdd_cubes(r->bdd, label, 0, MOST_CUBES, &r->cubes) != OM_OK)
        rc = om_never__bdd_failure(r, at);
    uint32_t of = g->states[from];
    bool accept = of == g->end || node_of(g, of)->accept;
    return rc == OM_OK ? om_automaton_add_edge(g->a, from, to, accept ? 1 : 0, r->cubes.cubes,
                             (uint32_t) r->cubes.count)
                       : rc;
}

/* Adds the edges of one statement that takes a step. */
static int add_step(graph *g, uint32_t from, uint32_t node)
{
    const om_never_node *n = node_of(g, node);
    om_bdd_space *b = g->r->bdd;
    om_bdd where = OM_BDD_TRUE;
    uint32_t target = n->succ;
    int rc = OM_OK;
    if (n->op == OM_NEVER_EXPR)
        return add_edge(g, from, n->guard, target, &n->at);
    if (n->op == OM_NEVER_ASSERT) {
        rc = add_edge(g, from, om_bdd_not(b, n->guard), g->end, &n->at);
        return rc == OM_OK ? add_edge(g, from, n->guard, target, &n->at) : rc;
    }
    for (uint32_t k = n->child; rc == OM_OK && k != OM_NONE; k = node_of(g, k)->sibling) {
        const om_never_node *x = node_of(g, k);
        if (x->op == OM_NEVER_GOTO || x->op == OM_NEVER_BREAK) {
            target = x->succ;
            break;
        }
        if (x->op == OM_NEVER_ASSERT)
            rc = add_edge(g, from, om_bdd_minus(b, where, x->guard), g->end, &x->at);
        where = om_bdd_and(b, where, x->guard);
    }
    return rc == OM_OK ? add_edge(g, from, where, target, &n->at) : rc;
}

/* Pushes the options of an if or do so that the first one is popped first. Skips an else unless
 * with_else. Returns true if there is an else. */
static bool push_options(graph *g, uint32_t node, bool with_else, uint32_t *count)
{
    uint32_t first = *count;
    bool other = false;
    for (uint32_t k = node_of(g, node)->child; k != OM_NONE; k = node_of(g, k)->next_option) {
        bool is_else = node_of(g, k)->op == OM_NEVER_ELSE;
        other = other || is_else;
        if (g->seen[k] != g->looks && (with_else || !is_else)) {
            g->seen[k] = g->looks;
            assert(*count < 2 * (g->end + 1)); /* N2 */
            g->stack[(*count)++] = k;
        }
    }
    for (uint32_t i = first, j = *count; i + 1 < j; i++) {
        uint32_t k = g->stack[--j];
        g->stack[j] = g->stack[i];
        g->stack[i] = k;
    }
    return other;
}

static void push_one(graph *g, uint32_t node, uint32_t *count)
{
    if (node != g->end && g->seen[node] == g->looks)
        return;
    if (node != g->end)
        g->seen[node] = g->looks;
    g->stack[(*count)++] = node;
}

/* Computes the function that holds if an option (except else) of an if or do can be taken. */
static int enabled(graph *g, uint32_t node, om_bdd *out)
{
    om_bdd_space *b = g->r->bdd;
    uint32_t count = 0;
    *out = OM_BDD_FALSE;
    g->looks++;
    (void) push_options(g, node, false, &count);
    while (count > 0) {
        uint32_t k = g->stack[--count];
        int rc = settle(g, &k);
        if (rc != OM_OK)
            return rc;
        const om_never_node *n = k == g->end ? NULL : node_of(g, k);
        if (n == NULL || n->op == OM_NEVER_ASSERT)
            *out = OM_BDD_TRUE;
        else if (n->op == OM_NEVER_IF || n->op == OM_NEVER_DO) {
            if (push_options(g, k, false, &count))
                *out = OM_BDD_TRUE;
        } else if (n->op == OM_NEVER_ATOMIC)
            *out = node_of(g, n->child)->op == OM_NEVER_EXPR
                       ? om_bdd_or(b, *out, node_of(g, n->child)->guard)
                       : OM_BDD_TRUE;
        else
            *out = om_bdd_or(b, *out, n->guard);
    }
    return *out == OM_BDD_NONE ? om_never__bdd_failure(g->r, &node_of(g, node)->at) : OM_OK;
}

static int add_else(graph *g, uint32_t from, uint32_t node)
{
    const om_never_node *n = node_of(g, node);
    om_bdd taken;
    int rc = enabled(g, n->parent, &taken);
    return rc == OM_OK ? add_edge(g, from, om_bdd_not(g->r->bdd, taken), n->succ, &n->at) : rc;
}

/* Adds an edge for each first step that the claim can take at a state. `found` stores the steps,
 * because add_else() reuses the stack. */
static int add_edges(graph *g, uint32_t from, uint32_t *found)
{
    uint32_t count = 0, steps = 0;
    int rc = OM_OK;
    g->looks++;
    push_one(g, g->states[from], &count);
    while (rc == OM_OK && count > 0) {
        uint32_t k = g->stack[--count];
        rc = settle(g, &k);
        if (rc == OM_OK && k != g->end &&
            (node_of(g, k)->op == OM_NEVER_IF || node_of(g, k)->op == OM_NEVER_DO))
            (void) push_options(g, k, true, &count);
        else if (rc == OM_OK) {
            assert(steps <= g->end); /* N2 */
            found[steps++] = k;
        }
    }
    for (uint32_t i = 0; rc == OM_OK && i < steps; i++)
        rc = found[i] == g->end ? add_edge(g, from, OM_BDD_TRUE, g->end, &g->r->token)
             : node_of(g, found[i])->op == OM_NEVER_ELSE ? add_else(g, from, found[i])
                                                         : add_step(g, from, found[i]);
    return rc;
}

static int build(graph *g, uint32_t *found)
{
    uint32_t first = 0;
    int rc = state_of(g, 0, &first);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(g->a, first);
    for (uint32_t s = 0; rc == OM_OK && s < g->state_count; s++)
        rc = add_edges(g, s, found);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(g->a, 1);
    return rc == OM_OK ? om_automaton_finish(g->a) : rc;
}

int om_never__automaton(om_never_reader *r, om_automaton **out)
{
    size_t n = r->node_count + 1;
    graph g = { .r = r, .end = (uint32_t) r->node_count };
    /* A node is pushed once a visit, and the end once for each node that leads to it. */
    uint32_t *found = om_alloc(r->heap, n, sizeof *found);
    g.number = om_alloc(r->heap, n, sizeof *g.number);
    g.states = om_alloc(r->heap, n, sizeof *g.states);
    g.stack = om_alloc(r->heap, 2 * n, sizeof *g.stack);
    g.seen = om_alloc(r->heap, n, sizeof *g.seen);
    int rc =
        found == NULL || g.number == NULL || g.states == NULL || g.stack == NULL || g.seen == NULL
            ? om_fail_memory(r->ctx)
            : link_nodes(r);
    if (rc == OM_OK) {
        memset(g.number, 0xff, n * sizeof *g.number);
        rc = om_automaton_new(&g.a, r->ctx, r->ap_count, (const char *const *) r->aps);
    }
    if (rc == OM_OK)
        rc = om_tela__place_aps(g.a, r->ap_lines, r->ap_columns);
    if (rc == OM_OK && r->name != NULL)
        rc = om_automaton_set_name(g.a, r->name);
    if (rc == OM_OK)
        rc = build(&g, found);
    OM_FREE_ALL(r->heap, found, g.number, g.states, g.stack, g.seen);
    return om_tela__hand_over(rc, g.a, out);
}
