/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

/* ---- states ---- */

static size_t entry_of(const reference *r, const uint32_t *row)
{
    uint64_t h = 1469598103934665603u;
    for (uint32_t w = 0; w < r->row; w++)
        h = (h ^ row[w]) * 1099511628211u;
    size_t at = (size_t) (h ^ h >> 32) & (r->entries - 1);
    while (r->index[at] != 0 &&
           memcmp(&r->rows[(size_t) (r->index[at] - 1) * r->row], row, r->row * sizeof *row) != 0)
        at = (at + 1) & (r->entries - 1);
    return at;
}

size_t reference_find(const reference *r, const uint32_t *row)
{
    uint32_t entry = r->index[entry_of(r, row)];
    return entry == 0 ? SIZE_MAX : entry - 1;
}

static void rehash(reference *r)
{
    free(r->index);
    r->entries = r->entries == 0 ? 1024 : r->entries * 2;
    r->index = need(calloc(r->entries, sizeof *r->index));
    for (size_t i = 0; i < r->count; i++)
        r->index[entry_of(r, &r->rows[i * r->row])] = (uint32_t) i + 1;
}

static uint32_t put(reference *r, const uint32_t *row)
{
    if (r->count * 2 >= r->entries)
        rehash(r);
    size_t at = entry_of(r, row);
    if (r->index[at] != 0)
        return r->index[at] - 1;
    if (r->count == r->capacity) {
        r->capacity = r->capacity == 0 ? 256 : r->capacity * 2;
        r->rows = need(realloc(r->rows, r->capacity * r->row * sizeof *r->rows));
        r->begin = need(realloc(r->begin, (r->capacity + 1) * sizeof *r->begin));
        r->wrong = need(realloc(r->wrong, r->capacity * sizeof *r->wrong));
    }
    memcpy(&r->rows[r->count * r->row], row, r->row * sizeof *row);
    r->wrong[r->count] = false;
    r->index[at] = (uint32_t) ++r->count;
    return (uint32_t) r->count - 1;
}

static void add_edge(reference *r, const uint32_t *row)
{
    uint32_t to = put(r, row);
    if (r->edges == r->edge_capacity) {
        r->edge_capacity = r->edge_capacity == 0 ? 1024 : r->edge_capacity * 2;
        r->to = need(realloc(r->to, r->edge_capacity * sizeof *r->to));
    }
    r->to[r->edges++] = to;
}

/* ---- exploration ---- */

/* Adds (d, q') for each matching edge of the automaton. */
static void add_product(reference *r, const om_automaton *a, const uint32_t *d, uint32_t q,
    uint64_t label, uint32_t *row)
{
    uint32_t count = 0;
    memcpy(row, d, r->words * sizeof *row);
    if (a == NULL) {
        add_edge(r, row);
        return;
    }
    const om_edge *edges = om_automaton_edges(a, q, &count);
    for (uint32_t i = 0; i < count; i++) {
        row[r->words] = edges[i].dst;
        if (om_edge_matches(&edges[i], om_automaton_cubes(a), label))
            add_edge(r, row);
    }
}

static void expand(reference *r, const om_executor *x, const om_automaton *a, bool stutter,
    uint32_t deadlock_ap, size_t state, om_successors *next, uint32_t *rows)
{
    uint32_t *s = rows, *row = rows + r->row;
    om_fault fault = 0;
    memcpy(s, &r->rows[state * r->row], r->row * sizeof *s);
    if (om_executor_successors(x, s, next) != OM_OK)
        abort();
    uint64_t over = next->overflows;
    next->overflows = 0;
    uint64_t label = a != NULL ? x->labels(x, s, &fault) : 0;
    r->deadlocks += next->count == 0 && next->fault == 0;
    if (next->fault != 0 || fault != 0) {
        r->faults++;
        r->wrong[state] = true;
        if (r->fault == 0) {
            r->fault_level = r->levels;
            r->fault = next->fault != 0 ? next->fault : fault;
            r->fault_state = state;
        }
        if (r->repeats && fault == 0)
            add_product(r, a, s, a != NULL ? s[r->words] : 0, label, row);
        return;
    }
    if (r->overflows == 0 && over != 0)
        r->first_overflow = state;
    r->overflows += over;
    if (next->count == 0) {
        if (deadlock_ap != OM_NONE)
            label |= (uint64_t) 1 << deadlock_ap;
        if (stutter)
            add_product(r, a, s, a != NULL ? s[r->words] : 0, label, row);
    }
    for (size_t i = 0; i < next->count; i++)
        add_product(r, a, next->words + i * r->words, a != NULL ? s[r->words] : 0, label, row);
}

static void explore(
    reference *r, const om_executor *x, const om_automaton *a, bool stutter, uint32_t deadlock_ap)
{
    r->words = x->words;
    r->row = x->words + (a != NULL);
    om_successors next = { .heap = om_heap_default() };
    uint32_t *rows = need(calloc(2 * r->row, sizeof *rows));
    x->initial(x, rows);
    for (uint32_t i = 0; i < (a != NULL ? om_automaton_initial_count(a) : 1); i++) {
        if (a != NULL)
            rows[r->words] = om_automaton_initial(a, i);
        put(r, rows);
    }
    for (size_t state = 0, level_end = 0; state < r->count; state++) {
        if (state == level_end) {
            r->levels++;
            level_end = r->count;
        }
        r->begin[state] = r->edges;
        expand(r, x, a, stutter, deadlock_ap, state, &next, rows);
        r->begin[state + 1] = r->edges;
    }
    om_successors_free(&next);
    free(rows);
}

void reference_explore(
    reference *r, const om_executor *x, const om_automaton *a, bool stutter, uint32_t deadlock_ap)
{
    *r = (reference){ .repeats = false };
    explore(r, x, a, stutter, deadlock_ap);
}

void reference_explore_repeating(
    reference *r, const om_executor *x, const om_automaton *a, bool stutter, uint32_t deadlock_ap)
{
    *r = (reference){ .repeats = true };
    explore(r, x, a, stutter, deadlock_ap);
}

void reference_free(reference *r)
{
    free(r->rows);
    free(r->index);
    free(r->to);
    free(r->begin);
    free(r->wrong);
    *r = (reference){ 0 };
}

bool reference_goes_wrong(const reference *r, size_t state)
{
    return r->wrong[state];
}

bool reference_has_edge(const reference *r, size_t from, size_t to)
{
    for (size_t e = r->begin[from]; e < r->begin[from + 1]; e++)
        if (r->to[e] == to)
            return true;
    return false;
}

bool reference_accepts(const reference *r, size_t state, const uint8_t *accepting)
{
    return accepting[r->rows[state * r->row + r->words]] != 0;
}

bool reference_on_cycle(const reference *r, size_t state, const uint8_t *accepting)
{
    bool *seen = need(calloc(r->count, sizeof *seen)), found = false;
    uint32_t *stack = need(calloc(r->count + 1, sizeof *stack));
    size_t depth = 0;
    if (reference_accepts(r, state, accepting))
        stack[depth++] = (uint32_t) state;
    while (depth > 0 && !found) {
        uint32_t s = stack[--depth];
        for (size_t e = r->begin[s]; e < r->begin[s + 1]; e++) {
            uint32_t t = r->to[e];
            found |= t == state;
            if (!seen[t] && reference_accepts(r, t, accepting)) {
                seen[t] = true;
                stack[depth++] = t;
            }
        }
    }
    free(stack);
    free(seen);
    return found;
}

bool reference_any_cycle(const reference *r, const uint8_t *accepting)
{
    for (size_t s = 0; s < r->count; s++)
        if (reference_on_cycle(r, s, accepting))
            return true;
    return false;
}

/* ---- models ---- */

static void must(int rc)
{
    if (rc != OM_OK)
        abort();
}

enum { NO_EDGE = 255, WRONG_GUARD = 201, WRONG_EFFECT = 200, WRONG_LABEL = 1 << GRAPH_APS };

/* Adds the move at := same[next[at * GRAPH_OUT + k]], enabled unless that entry of next is
 * NO_EDGE. */
static void add_move(
    om_model *m, uint32_t process, uint32_t at, uint32_t next, uint32_t same, int32_t k)
{
    om_expr index = om_expr_binary(m, OM_OP_ADD,
        om_expr_binary(m, OM_OP_MUL, om_expr_slot(m, at), om_expr_const(m, GRAPH_OUT)),
        om_expr_const(m, k));
    om_expr target = om_expr_element(m, next, index);
    om_expr right = om_expr_binary(m, OM_OP_DIV, om_expr_const(m, 1),
        om_expr_binary(m, OM_OP_NE, target, om_expr_const(m, WRONG_GUARD)));
    om_assign assign = { .slot = at, .value = om_expr_element(m, same, target) };
    om_transition t = { .process = process,
        .partner = OM_NONE,
        .guard = om_expr_binary(
            m, OM_OP_AND, om_expr_binary(m, OM_OP_NE, target, om_expr_const(m, NO_EDGE)), right),
        .assigns = &assign,
        .assign_count = 1,
        .label = "move" };
    must(om_model_add_transition(m, &t, NULL));
}

om_model *reference_graph(
    om_context *ctx, om_random *random, unsigned density, unsigned faulty, om_expr *aps)
{
    static const int32_t start = 0;
    int32_t edges[GRAPH_NODES * GRAPH_OUT], labels[GRAPH_NODES], nodes[GRAPH_NODES];
    om_model *m = NULL;
    uint32_t at = 0, next = 0, label = 0, same = 0, process = 0;
    for (size_t i = 0; i < GRAPH_NODES * GRAPH_OUT; i++)
        edges[i] = om_random_below(random, 100) < density
                       ? (int32_t) om_random_below(random, GRAPH_NODES)
                       : NO_EDGE;
    for (size_t i = 0; i < GRAPH_NODES; i++)
        labels[i] = (int32_t) om_random_below(random, 1 << GRAPH_APS);
    for (size_t i = 0; faulty != 0 && i < GRAPH_NODES * GRAPH_OUT; i++)
        if (edges[i] != NO_EDGE && om_random_below(random, 100) < faulty)
            edges[i] = om_random_below(random, 2) != 0 ? WRONG_GUARD : WRONG_EFFECT;
    for (size_t i = 0; i < GRAPH_NODES; i++) {
        nodes[i] = (int32_t) i;
        if (faulty != 0 && om_random_below(random, 100) < faulty)
            labels[i] = WRONG_LABEL;
    }
    must(om_model_new(&m, ctx, "graph"));
    must(om_model_add_process(m, "walker", &process));
    om_slot slots[] = {
        { .name = "at", .type = OM_U8, .process = OM_NONE, .initial = &start },
        { .name = "next",
            .type = OM_U8,
            .length = GRAPH_NODES * GRAPH_OUT,
            .process = OM_NONE,
            .initial = edges },
        { .name = "label",
            .type = OM_U8,
            .length = GRAPH_NODES,
            .process = OM_NONE,
            .initial = labels },
        { .name = "same",
            .type = OM_U8,
            .length = GRAPH_NODES,
            .process = OM_NONE,
            .initial = nodes },
    };
    must(om_model_add_slot(m, &slots[0], &at));
    must(om_model_add_slot(m, &slots[1], &next));
    must(om_model_add_slot(m, &slots[2], &label));
    must(om_model_add_slot(m, &slots[3], &same));
    for (int32_t k = 0; k < GRAPH_OUT; k++)
        add_move(m, process, at, next, same, k);
    must(om_model_finish(m));
    om_expr here = om_expr_element(m, label, om_expr_slot(m, at));
    here = om_expr_binary(
        m, OM_OP_DIV, here, om_expr_binary(m, OM_OP_NE, here, om_expr_const(m, WRONG_LABEL)));
    for (int32_t i = 0; i < GRAPH_APS; i++)
        aps[i] = om_expr_binary(m, OM_OP_BAND, here, om_expr_const(m, 1 << i));
    must(om_model_expr_check(m, NULL));
    return m;
}

om_automaton *reference_automaton(
    om_context *ctx, om_random *random, uint32_t states, const uint8_t *accepting)
{
    static const char *const names[GRAPH_APS] = { "a", "b" };
    om_automaton *a = NULL;
    uint32_t first = 0;
    must(om_automaton_new(&a, ctx, GRAPH_APS, names));
    must(om_automaton_add_states(a, states, &first));
    must(om_automaton_set_generalized_buchi(a, 1));
    for (uint32_t q = 0; q < states; q++)
        for (uint64_t n = om_random_below(random, 4); n > 0; n--) {
            uint32_t to = (uint32_t) om_random_below(random, states);
            om_cube cubes[2];
            uint32_t count = 1 + (uint32_t) om_random_below(random, 2);
            for (uint32_t c = 0; c < count; c++) {
                uint64_t used = (om_random_next(random) | om_random_next(random)) & 3,
                         values = om_random_next(random);
                cubes[c] = (om_cube){ used & values, used & ~values };
            }
            must(om_automaton_add_edge(
                a, q, to, accepting[q] && accepting[to] ? 1 : 0, cubes, count));
        }
    for (uint32_t q = 0; q < states; q++) /* makes some components terminal */
        if (accepting[q] && om_random_below(random, 3) == 0) {
            static const om_cube any = { 0, 0 };
            must(om_automaton_add_edge(a, q, q, 1, &any, 1));
        }
    must(om_automaton_add_initial(a, 0));
    if (om_random_below(random, 4) == 0)
        must(om_automaton_add_initial(a, states - 1));
    must(om_automaton_finish(a));
    return a;
}

const char *reference_device_name(void)
{
    const char *name = getenv("OMEN_TEST_DEVICE");
    return name == NULL ? "auto" : name;
}

om_devices *reference_device(om_context *ctx, om_device **device)
{
    om_devices *devices = NULL;
    const char *why = NULL, *which = reference_device_name();
    if (om_devices_open(&devices, ctx, which, &why) != OM_OK) {
        printf("skipped: no device '%s': %s\n", which, why != NULL ? why : om_context_error(ctx));
        exit(77);
    }
    if (om_devices_pick(devices, ctx, which, device) != OM_OK) {
        printf("no device passes: %s\n", om_context_error(ctx));
        exit(1);
    }
    return devices;
}
