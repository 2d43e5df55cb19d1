/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the compact form of a net's model in step with the model: random nets with invariants, some
 * with places about which nothing is known, are walked at random. In each state both have the same
 * enabled transitions, values of variables and propositions. The transition tables of both forms
 * give the same successors, in the same order, as the vm.
 */
#include "transform/compact.h"
#include "heap.h"
#include "net_case.h"
#include "form/proved.h"
#include "execute/table.h"

#include <omen/plugin/control.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

#include <cmocka.h>

enum { NETS = 400, MOST_PLACES = 48, STEPS = 60, APS = 6 };

/* The model, its compact form, and a state of each */
typedef struct pair {
    om_model *m;
    om_compact *c;
    om_executor *x, *y;
    om_executor *table[2]; /* tables of both; NULL if there is none */
    om_successors next, other, listed;
    uint32_t *now, *then;
    om_expr aps[APS];
} pair;

static struct {
    unsigned shorter, left_out, open, faults, checked, tables, by_programs;
} seen;

static uint32_t below(om_random *r, uint32_t n)
{
    return (uint32_t) om_random_below(r, n);
}

/* ---- nets ---- */

/* State machines that move together; some transitions also give to or take from counting places. */
static void make_machines(om_net *net, om_context *ctx, om_random *r)
{
    const uint32_t machines = 3 + below(r, 6), size = 3 + below(r, 3), counts = below(r, 3);
    const uint32_t places = machines * size, transitions = 4 + below(r, 20);
    assert_int_equal(net_case_open(net, ctx, places + counts, transitions), OM_OK);
    for (uint32_t m = 0; m < machines; m++)
        net->places[m * size + below(r, size)].initial = (om_value) (1 + below(r, 4) / 3);
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t change[MOST_PLACES] = { 0 };
        bool both[MOST_PLACES] = { false };
        for (uint32_t m = 0; m < machines; m++) {
            const uint32_t from = m * size + below(r, size), to = m * size + below(r, size);
            if (below(r, 3) != 0)
                continue;
            both[from] = from == to;
            change[to] += from != to;
            change[from] -= from != to;
        }
        if (counts != 0)
            change[places + below(r, counts)] += (int64_t) below(r, 200) - 60;
        assert_int_equal(net_case_add(net, change, both), OM_OK);
    }
}

/* A weighted sum of the tokens is constant. */
static void make_weighted(om_net *net, om_context *ctx, om_random *r)
{
    const uint32_t places = 3 + below(r, 6), transitions = 3 + below(r, 8);
    int64_t weights[MOST_PLACES];
    assert_int_equal(net_case_open(net, ctx, places, transitions), OM_OK);
    for (uint32_t p = 0; p < places; p++) {
        weights[p] = 1 + below(r, 4);
        net->places[p].initial = (om_value) below(r, 2000);
    }
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t change[MOST_PLACES] = { 0 };
        const uint32_t from = below(r, places), to = below(r, places), many = 1 + below(r, 40);
        change[from] -= weights[to] * many;
        change[to] += weights[from] * many;
        assert_int_equal(net_case_add(net, change, NULL), OM_OK);
    }
}

/* ---- both forms in step ---- */

static void open_table(om_executor **out, om_model *m, const om_expr *aps)
{
    const int rc = om_table__open(out, m, aps, APS);
    assert_true(rc == OM_OK || rc == OM_EUNSUPPORTED);
}

static void open_pair(pair *k, om_context *ctx, const om_net *net, const uint8_t *bits)
{
    om_expr here[APS];
    *k = (pair){ .next = { .heap = om_heap_default() },
        .other = { .heap = om_heap_default() },
        .listed = { .heap = om_heap_default() } };
    assert_int_equal(om_model_new(&k->m, ctx, "case"), OM_OK);
    assert_int_equal(om_net_lower(net, k->m), OM_OK);
    assert_int_equal(om_model_narrow(k->m), OM_OK);
    assert_int_equal(om_model_finish(k->m), OM_OK);
    assert_int_equal(om_compact__new(&k->c, k->m, bits), OM_OK);
    if (k->c == NULL)
        return;
    for (uint32_t i = 0; i < APS; i++) {
        const uint32_t slots = om_model_slot_count(k->m);
        const om_expr a = om_expr_slot(k->m, i % slots), b = om_expr_slot(k->m, i * 7 % slots);
        k->aps[i] = om_expr_binary(k->m, i % 2 == 0 ? OM_OP_GE : OM_OP_EQ,
            om_expr_binary(k->m, OM_OP_ADD, a, b), om_expr_const(k->m, (om_value) (1 + i / 2)));
        assert_int_equal(om_compact__express(k->c, k->aps[i], &here[i]), OM_OK);
    }
    om_model *compact = om_compact__model(k->c);
    assert_int_equal(om_executor_open(&k->x, k->m, OM_EXEC_VM, k->aps, APS), OM_OK);
    assert_int_equal(om_executor_open(&k->y, compact, OM_EXEC_VM, here, APS), OM_OK);
    open_table(&k->table[0], k->m, k->aps);
    open_table(&k->table[1], compact, here);
    seen.tables += (k->table[0] != NULL) + (k->table[1] != NULL);
    seen.by_programs += k->table[1] != NULL && om_compact__left_out(k->c) != 0;
    k->now = om_alloc(om_heap_default(), om_model_words(k->m), sizeof *k->now);
    k->then = om_alloc(om_heap_default(), om_model_words(compact), sizeof *k->then);
    k->x->initial(k->x, k->now);
    k->y->initial(k->y, k->then);
}

static void close_pair(pair *k)
{
    om_executor_close(k->x);
    om_executor_close(k->y);
    om_executor_close(k->table[0]);
    om_executor_close(k->table[1]);
    om_successors_free(&k->next);
    om_successors_free(&k->other);
    om_successors_free(&k->listed);
    om_free(om_heap_default(), k->now);
    om_free(om_heap_default(), k->then);
    om_compact__free(k->c);
    om_model_free(k->m);
}

static void compare(const pair *k)
{
    om_fault one = 0, other = 0;
    for (uint32_t s = 0; s < om_model_slot_count(k->m); s++)
        assert_int_equal(
            om_slot_get(om_model_slot(k->m, s), k->now, 0), om_compact__get(k->c, k->then, s));
    assert_true(k->x->labels(k->x, k->now, &one) == k->y->labels(k->y, k->then, &other));
    assert_int_equal(one | other, 0);
    seen.checked++;
}

/* Checks that the table gives the same successors as the vm. */
static void compare_table(
    pair *k, const om_executor *table, const uint32_t *state, const om_successors *expected)
{
    om_fault one = 0, other = 0;
    if (table == NULL)
        return;
    om_successors_free(&k->listed);
    k->listed = (om_successors){ .heap = om_heap_default() };
    assert_int_equal(om_executor_successors(table, state, &k->listed), OM_OK);
    assert_int_equal(k->listed.fault, expected->fault);
    if (expected->fault != 0)
        return;
    assert_int_equal(k->listed.count, expected->count);
    for (size_t i = 0; i < expected->count; i++) {
        assert_int_equal(k->listed.transition[i], expected->transition[i]);
        assert_memory_equal(k->listed.words + i * table->words, expected->words + i * table->words,
            table->words * sizeof *state);
    }
    const om_executor *vm = table == k->table[0] ? k->x : k->y;
    assert_true(table->labels(table, state, &one) == vm->labels(vm, state, &other));
    assert_int_equal(one, other);
}

/* Makes a step. Returns false if there is no successor, or if an open slot of the compact form has
 * too few bits, which is reported before the slot holds a wrong value. */
static bool step(pair *k, om_random *r)
{
    assert_int_equal(om_executor_successors(k->x, k->now, &k->next), OM_OK);
    assert_int_equal(om_executor_successors(k->y, k->then, &k->other), OM_OK);
    compare_table(k, k->table[0], k->now, &k->next);
    compare_table(k, k->table[1], k->then, &k->other);
    if (k->other.fault != 0) {
        assert_int_equal(OM_FAULT_KIND(k->other.fault), OM_FAULT_ASSERTION);
        assert_true(om_model__open_of(k->m, OM_FAULT_SUBJECT(k->other.fault)) != OM_NONE);
        seen.faults++;
        return false;
    }
    assert_int_equal(k->next.fault, 0);
    assert_int_equal(k->next.count, k->other.count);
    if (k->next.count == 0)
        return false;
    for (size_t i = 0; i < k->next.count; i++)
        assert_int_equal(k->next.transition[i], k->other.transition[i]);
    const size_t to = below(r, (uint32_t) k->next.count);
    const uint32_t words = om_model_words(k->m), fewer = om_model_words(om_compact__model(k->c));
    memcpy(k->now, k->next.words + to * words, words * sizeof *k->now);
    memcpy(k->then, k->other.words + to * fewer, fewer * sizeof *k->then);
    return true;
}

static void walk(om_context *ctx, const om_net *net, om_random *r)
{
    uint8_t bits[MOST_PLACES];
    pair k;
    memset(bits, 8 << below(r, 2), sizeof bits);
    open_pair(&k, ctx, net, bits);
    if (k.c != NULL) {
        seen.shorter += om_model_words(om_compact__model(k.c)) < om_model_words(k.m);
        seen.left_out += om_compact__left_out(k.c) != 0;
        seen.open += om_model__open_count(k.m) != 0;
        compare(&k);
        for (unsigned n = 0; n < STEPS && step(&k, r); n++)
            compare(&k);
    }
    close_pair(&k);
}

static void random_nets(void **state)
{
    om_random r = { 7 };
    for (unsigned n = 0; n < NETS; n++) {
        om_net net;
        if (n % 2 == 0)
            make_machines(&net, *state, &r);
        else
            make_weighted(&net, *state, &r);
        assert_int_equal(net_case_name(&net), OM_OK);
        assert_int_equal(om_net_bound(&net), OM_OK);
        walk(*state, &net, &r);
        net_case_close(&net);
    }
    print_message("%u of %d nets shorter, %u with implied places, %u with open ones, %u of which "
                  "overflowed; %u states, %u tables, %u of which with programs\n",
        seen.shorter, NETS, seen.left_out, seen.open, seen.faults, seen.checked, seen.tables,
        seen.by_programs);
    assert_true(seen.tables > NETS / 2 && seen.by_programs > NETS / 5);
    assert_true(seen.shorter > NETS / 4 && seen.left_out > NETS / 5 && seen.open > NETS / 20 &&
                seen.faults > NETS / 100 && seen.checked > 10 * NETS);
}

/* ---- words ---- */

/* Places are left out only if that saves a word. */
static void whole_words(void **state)
{
    static const struct {
        uint32_t rings, words, compact; /* 0: none */
    } rows[] = { { 10, 1, 0 }, { 11, 2, 1 }, { 16, 2, 1 }, { 17, 2, 0 }, { 21, 2, 0 }, { 22, 3, 2 },
        { 33, 4, 3 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        om_net net;
        pair k;
        const uint32_t places = 3 * rows[i].rings;
        assert_int_equal(net_case_open(&net, *state, places, places), OM_OK);
        for (uint32_t p = 0; p < places; p++) {
            const uint32_t next = p % 3 == 2 ? p - 2 : p + 1;
            net.places[p].initial = p % 3 == 0;
            assert_int_equal(net_case_add_few(&net, &p, 1, &next, 1), OM_OK);
        }
        assert_int_equal(net_case_name(&net), OM_OK);
        assert_int_equal(om_net_bound(&net), OM_OK);
        open_pair(&k, *state, &net, NULL);
        assert_int_equal(om_model_words(k.m), rows[i].words);
        assert_int_equal(k.c != NULL, rows[i].compact != 0);
        if (k.c != NULL) {
            assert_int_equal(om_model_words(om_compact__model(k.c)), rows[i].compact);
            /* Only as many places as are needed to save the words */
            assert_int_equal(om_compact__left_out(k.c), places - 32 * rows[i].compact);
        }
        close_pair(&k);
        net_case_close(&net);
    }
}

/* ---- memory ---- */

static int make_compact(om_context *ctx, const om_net *net, om_model **m, om_compact **c)
{
    static const uint8_t bits[MOST_PLACES] = { 8, 8 };
    om_executor *table = NULL;
    om_successors next = { .heap = om_context_heap(ctx) };
    om_expr e = 0;
    int rc = om_model_new(m, ctx, "case");
    if (rc == OM_OK)
        rc = om_net_lower(net, *m);
    if (rc == OM_OK)
        rc = om_model_finish(*m);
    if (rc == OM_OK)
        rc = om_compact__new(c, *m, bits);
    if (rc == OM_OK && *c != NULL)
        rc = om_compact__express(*c, om_expr_slot(*m, 0), &e);
    if (rc == OM_OK)
        rc = om_table__open(&table, *m, NULL, 0);
    if (rc == OM_OK)
        rc = om_executor_successors(table, om_model_initial(*m), &next);
    om_executor_close(table);
    om_successors_free(&next);
    return rc;
}

static void no_memory(void **state)
{
    (void) state;
    size_t n = 0;
    for (bool failed = true; failed; n++) {
        test_heap t;
        om_context *ctx = NULL;
        om_model *m = NULL;
        om_compact *c = NULL;
        om_net net;
        test_heap_init(&t, SIZE_MAX);
        assert_int_equal(om_context_new(&ctx, &t.heap), OM_OK);
        assert_int_equal(net_case_read(&net, ctx, "1000 0 0 1000 0 0 0 1",
                             "0 > 1; 1 > 2; 2 > 0; 3 > 4; 4 > 5; 5 > 3; 7 > 7 6"),
            OM_OK);
        assert_int_equal(net_case_name(&net), OM_OK);
        assert_int_equal(om_net_bound(&net), OM_OK);
        t.fail_at = t.calls + n;
        int rc = make_compact(ctx, &net, &m, &c);
        failed = t.calls > t.fail_at;
        assert_int_equal(rc, failed ? OM_ENOMEM : OM_OK);
        assert_true(failed || (c != NULL && om_compact__left_out(c) == 2));
        om_compact__free(c);
        om_model_free(m);
        net_case_close(&net);
        om_context_free(ctx);
        assert_int_equal(t.live, 0);
    }
    assert_true(n > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_nets),
        cmocka_unit_test(whole_words),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, context_set_up, context_tear_down);
}
