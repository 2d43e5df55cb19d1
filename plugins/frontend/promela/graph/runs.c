/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a process can do each of its `run`s: the process alone is explored, over its control
 * points and scalar variables, with everything else unknown. Other processes cannot change those,
 * so every run of the model is covered; a counted loop around a `run` ends.
 */
#include "flow_graph.h"

#include <assert.h>
#include <string.h>

/* Limits on states and `run`s, beyond which no bound is given, and on variables. No variable has
 * the value UNKNOWN. */
enum { MOST_STATES = 1 << 15, MOST_TRACKED = 64 };
#define UNKNOWN INT64_MIN

typedef struct follower {
    pml_file *file;
    const pml_graph *graph;
    uint32_t *tracked; /* by variable: index of its value in a state, from 1 on; 0: not tracked */
    uint32_t *counted; /* by site: index of its count in a state; 0: not counted */
    uint32_t width;    /* of a state: its location, values, counts */
    int64_t *states;   /* the states found, one after the other */
    size_t count, capacity;
    uint32_t *table; /* hash table of state numbers from 1 on, with TABLE buckets */
    bool endless;    /* a limit was exceeded */
} follower;

enum { TABLE = 2 * MOST_STATES };

/* ---- values ---- */

static int64_t value_of(const follower *f, const pml_expr *e, const int64_t *state);

static int64_t binary(om_op op, int64_t a, int64_t b)
{
    switch (op) {
    case OM_OP_ADD:
        return a + b;
    case OM_OP_SUB:
        return a - b;
    case OM_OP_MUL:
        return a * b;
    case OM_OP_DIV:
        return b == 0 ? UNKNOWN : a / b;
    case OM_OP_MOD:
        return b == 0 ? UNKNOWN : a % b;
    case OM_OP_LT:
        return a < b;
    case OM_OP_LE:
        return a <= b;
    case OM_OP_EQ:
        return a == b;
    case OM_OP_NE:
        return a != b;
    case OM_OP_GE:
        return a >= b;
    case OM_OP_GT:
        return a > b;
    case OM_OP_AND:
        return a != 0 && b != 0;
    case OM_OP_OR:
        return a != 0 || b != 0;
    default:
        return UNKNOWN;
    }
}

static int64_t value_of_binary(const follower *f, const pml_expr *e, const int64_t *state)
{
    int64_t a = value_of(f, e->a, state), b = value_of(f, e->b, state);
    if (a == UNKNOWN || b == UNKNOWN) {
        const int64_t known = a == UNKNOWN ? b : a;
        if (e->op == OM_OP_AND && known == 0)
            return 0;
        return e->op == OM_OP_OR && known != UNKNOWN && known != 0 ? 1 : UNKNOWN;
    }
    int64_t value = binary(e->op, a, b);
    return value < OM_VALUE_MIN || value > OM_VALUE_MAX ? UNKNOWN : value;
}

static int64_t value_of(const follower *f, const pml_expr *e, const int64_t *state)
{
    int64_t a;
    switch (e->kind) {
    case PML_NUMBER:
        return e->value;
    case PML_VARIABLE:
        if (e->variable->is_global || f->tracked[e->variable->index] == 0)
            return UNKNOWN;
        return state[f->tracked[e->variable->index]];
    case PML_UNARY:
        a = value_of(f, e->a, state);
        if (a == UNKNOWN || a == OM_VALUE_MIN)
            return UNKNOWN;
        return e->op == OM_OP_NEG ? -a : e->op == OM_OP_NOT ? a == 0 : UNKNOWN;
    case PML_BINARY:
        return value_of_binary(f, e, state);
    case PML_COND:
        a = value_of(f, e->a, state);
        return a == UNKNOWN ? UNKNOWN : value_of(f, a != 0 ? e->b : e->c, state);
    default:
        return UNKNOWN;
    }
}

static void store(const follower *f, const pml_variable *v, int64_t value, int64_t *state)
{
    om_value low, high;
    if (v == NULL || v->is_global || f->tracked[v->index] == 0)
        return;
    (void) pml_type_range(v, &low, &high);
    /* Wrapping is followed only for non-negative values of unsigned types. */
    if (value != UNKNOWN && (value < low || value > high))
        value = low == 0 && value >= 0 ? value & high : UNKNOWN;
    state[f->tracked[v->index]] = value;
}

/* ---- states ---- */

/* Adds a state, unless it is known. */
static int add_state(follower *f, const int64_t *state)
{
    assert(0 < state[0] && state[0] <= f->graph->location_count); /* G1 */
    const size_t bytes = f->width * sizeof *state;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < f->width; i++) {
        hash = (hash ^ (uint64_t) state[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    uint32_t place = (uint32_t) hash % TABLE;
    for (; f->states != NULL && f->table[place] != 0; place = (place + 1) % TABLE)
        if (memcmp(f->states + (size_t) (f->table[place] - 1) * f->width, state, bytes) == 0)
            return OM_OK;
    if (f->count == MOST_STATES) {
        f->endless = true;
        return OM_OK;
    }
    if (!OM_ROOM(f->file->region.heap, f->states, &f->capacity, (f->count + 1) * f->width))
        return om_fail_memory(f->file->ctx);
    memcpy(f->states + f->count * f->width, state, bytes);
    f->table[place] = (uint32_t) ++f->count;
    return OM_OK;
}

/* ---- steps ---- */

/* Returns true if the statement is certainly enabled. */
static bool is_certain(const follower *f, const pml_node *leaf, const int64_t *state)
{
    if (leaf->kind == PML_N_JUMP)
        return true;
    if (leaf->kind != PML_N_LEAF || pml_run_in(leaf->s) != NULL)
        return false;
    switch (leaf->s->kind) {
    case PML_S_EXPR: {
        int64_t value = value_of(f, leaf->s->a, state);
        return value != UNKNOWN && value != 0;
    }
    case PML_S_ASSIGN:
    case PML_S_PRINT:
    case PML_S_ASSERT:
        return true;
    default:
        return false;
    }
}

static bool is_possible(
    const follower *f, const pml_leaves *leaves, const pml_node *leaf, const int64_t *state)
{
    if (leaf->kind != PML_N_LEAF)
        return leaf->kind != PML_N_END;
    if (leaf->s->kind == PML_S_EXPR && pml_run_in(leaf->s) == NULL)
        return value_of(f, leaf->s->a, state) != 0;
    if (leaf->s->kind == PML_S_ELSE)
        for (size_t i = 0; i < leaves->count; i++)
            if (is_certain(f, leaves->at[i].node, state))
                return false;
    return true;
}

/* Applies the effect of the leaf to the state. */
static void apply(follower *f, const pml_node *leaf, int64_t *state)
{
    const pml_statement *s = leaf->kind == PML_N_LEAF ? leaf->s : NULL;
    const pml_expr *run = pml_run_in(s);
    if (run != NULL && f->counted[run->site] != 0)
        f->endless = f->endless || ++state[f->counted[run->site]] > f->file->most;
    if (s == NULL)
        return;
    if (s->kind == PML_S_ASSIGN && s->target->kind == PML_VARIABLE)
        store(f, s->target->variable, run != NULL ? UNKNOWN : value_of(f, s->a, state), state);
    if (s->kind == PML_S_RECEIVE)
        for (const pml_expr *e = s->args; e != NULL; e = e->next)
            if (e->kind == PML_VARIABLE)
                store(f, e->variable, UNKNOWN, state);
}

static int follow(follower *f)
{
    pml_leaves leaves = { .at = NULL };
    const om_heap *heap = f->file->region.heap;
    int64_t *next = om_alloc(heap, f->width, sizeof *next);
    int64_t *state = om_alloc(heap, f->width, sizeof *state);
    int rc = next == NULL || state == NULL ? om_fail_memory(f->file->ctx) : OM_OK;
    for (size_t i = 0; i < f->count && rc == OM_OK && !f->endless; i++) {
        memcpy(state, f->states + i * f->width, f->width * sizeof *state);
        rc = pml_leaves_of(f->file, f->graph->locations[state[0] - 1], &leaves);
        for (size_t k = 0; k < leaves.count && rc == OM_OK && !f->endless; k++) {
            const pml_node *leaf = leaves.at[k].node;
            if (!is_possible(f, &leaves, leaf, state))
                continue;
            memcpy(next, state, f->width * sizeof *next);
            apply(f, leaf, next);
            next[0] = pml_after(leaf)->location;
            rc = add_state(f, next);
        }
    }
    OM_FREE_ALL(heap, leaves.at, state, next);
    return rc;
}

/* ---- a proctype ---- */

/* Chooses the tracked variables and adds the initial state. */
static int begin(follower *f, const pml_proctype *t, const uint32_t *most, uint32_t sites)
{
    const om_heap *heap = f->file->region.heap;
    uint32_t tracked = 0, counted = 0;
    if (!OM_NEW(heap, f->tracked, (size_t) t->variable_count + 1) ||
        !OM_NEW(heap, f->counted, (size_t) sites + 1) || !OM_NEW(heap, f->table, TABLE))
        return om_fail_memory(f->file->ctx);
    for (const pml_variable *v = t->variables; v != NULL; v = v->next)
        if (v->length == 0 && v->structure == NULL && v->type != PML_CHAN && tracked < MOST_TRACKED)
            f->tracked[v->index] = ++tracked;
    for (uint32_t i = 0; i < sites; i++)
        if (most[i] != OM_NONE)
            f->counted[i] = 1 + tracked + counted++;
    f->width = 1 + tracked + counted;
    assert(tracked <= MOST_TRACKED && counted <= sites);
    int64_t *first = om_alloc(heap, f->width, sizeof *first);
    if (first == NULL)
        return om_fail_memory(f->file->ctx);
    first[0] = f->graph->start->location;
    for (const pml_variable *v = t->variables; v != NULL; v = v->next)
        if (f->tracked[v->index] != 0)
            store(f, v,
                v->is_parameter      ? UNKNOWN
                : v->initial == NULL ? 0
                                     : value_of(f, v->initial, first),
                first);
    int rc = add_state(f, first);
    om_free(heap, first);
    return rc;
}

int pml_count_runs(pml_file *file, const pml_proctype *t, uint32_t *most, uint32_t sites)
{
    follower f = { .file = file, .graph = t->graph };
    int rc = begin(&f, t, most, sites);
    if (rc == OM_OK)
        rc = follow(&f);
    for (uint32_t i = 0; i < sites && rc == OM_OK; i++) {
        if (most[i] == OM_NONE)
            continue;
        most[i] = f.endless ? OM_NONE : 1;
        for (size_t k = 0; k < f.count && !f.endless; k++) {
            const int64_t runs = f.states[k * f.width + f.counted[i]];
            most[i] = runs > most[i] ? (uint32_t) runs : most[i];
        }
    }
    OM_FREE_ALL(file->region.heap, f.tracked, f.counted, f.table, f.states);
    return rc;
}
