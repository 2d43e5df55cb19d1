/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Second search on a device (core/device/engine/recheck.c). A bit is flipped at any moment of the
 * first or the second search: in stored states, in their index, in candidates, in degrees, or in
 * input buffers. Either the second search notices the flip, or the reported result is right.
 */
#include "engine/engine.h"
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static om_context *ctx;
static om_devices *devices;
static om_device *one, *two; /* `two` is a group, or NULL */
static unsigned runs = 20;   /* base number of runs of each kind */

/* Sizes so small that every table grows. */
static const om_tuning tiny = { .states = 16,
    .candidates = 32,
    .buckets = 64,
    .chunk = 8,
    .largest_chunk = 16,
    .most_candidates = 512 };

/* ---- a model of counters that go up to the top, and its properties ---- */

enum { COUNTERS = 3, TOP = 5, STATES = 6 * 6 * 6, TRANSITIONS = 3 * 5 * 6 * 6 };

static om_model *model;
static om_automaton *automaton;
/* Forbidden runs: the first AP holds in some state, then the second AP holds in every later state.
 * LOUD: such runs exist. QUIET: none, because the first AP never holds. PART: none, because these
 * runs are finite. */
enum { LOUD, QUIET, PART, PROPERTIES };
static om_expr aps[PROPERTIES][2];

static void make_model(void)
{
    static const char *const slot_names[COUNTERS] = { "x", "y", "z" };
    static const int32_t zero = 0;
    uint32_t slots[COUNTERS];
    assert_int_equal(om_model_new(&model, ctx, "grid"), OM_OK);
    for (uint32_t i = 0; i < COUNTERS; i++) {
        uint32_t process = 0;
        const om_slot slot = {
            .name = slot_names[i], .type = OM_U8, .process = i, .initial = &zero
        };
        assert_int_equal(om_model_add_process(model, slot_names[i], &process), OM_OK);
        assert_int_equal(om_model_add_slot(model, &slot, &slots[i]), OM_OK);
        om_expr value = om_expr_slot(model, slots[i]);
        const om_assign up = { .slot = slots[i],
            .value = om_expr_binary(model, OM_OP_ADD, value, om_expr_const(model, 1)) };
        const om_transition t = { .process = process,
            .partner = OM_NONE,
            .guard = om_expr_binary(model, OM_OP_LT, value, om_expr_const(model, TOP)),
            .assigns = &up,
            .assign_count = 1,
            .label = "up" };
        assert_int_equal(om_model_add_transition(model, &t, NULL), OM_OK);
    }
    const om_expr x = om_expr_slot(model, slots[0]), z = om_expr_slot(model, slots[2]);
    const om_expr top = om_expr_const(model, TOP), nothing = om_expr_const(model, 0);
    const om_expr there = om_expr_binary(model, OM_OP_EQ, x, top),
                  never = om_expr_binary(model, OM_OP_LT, x, nothing),
                  always = om_expr_binary(model, OM_OP_GE, x, nothing),
                  below = om_expr_binary(model, OM_OP_LT, z, top);
    aps[LOUD][0] = aps[PART][0] = there;
    aps[QUIET][0] = never;
    aps[LOUD][1] = aps[QUIET][1] = always;
    aps[PART][1] = below;
    assert_int_equal(om_model_finish(model), OM_OK);
}

static void make_automaton(void)
{
    static const char *const names[] = { "from", "on" };
    static const om_cube any = { 0, 0 }, from = { 1, 0 }, on = { 2, 0 };
    assert_int_equal(om_automaton_new(&automaton, ctx, 2, names), OM_OK);
    assert_int_equal(om_automaton_add_states(automaton, 2, NULL), OM_OK);
    assert_int_equal(om_automaton_set_generalized_buchi(automaton, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(automaton, 0, 0, 0, &any, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(automaton, 0, 1, 0, &from, 1), OM_OK);
    assert_int_equal(om_automaton_add_edge(automaton, 1, 1, 1, &on, 1), OM_OK);
    assert_int_equal(om_automaton_add_initial(automaton, 0), OM_OK);
    assert_int_equal(om_automaton_finish(automaton), OM_OK);
}

/* ---- flips ---- */

enum { CANDIDATE, ROW, ENTRY, DEGREE, CUBE, MARK, TARGETS };
static const char *const targets[TARGETS] = { "candidates", "rows", "entries", "degrees", "cubes",
    "marks" };

static const om_backend *real;
static om_backend flipping;   /* real, but a bit is flipped before some launches */
static om_engine *under_test; /* NULL outside a run */
/* Kinds of launches: any, those that expand, those that look up candidates. */
enum { ANY, EXPANDS, INTERNS, KINDS };
static atomic_uint launches[KINDS]; /* number of launches so far */
static unsigned flip_at;            /* flip before this launch of its kind; UINT32_MAX: none */
static const int kind_of[TARGETS] = { INTERNS, EXPANDS, INTERNS, ANY, EXPANDS, ANY };
static int target;
static uint64_t which; /* selects the word or entry and the bit, modulo their number */
static bool sticks;    /* true if the bit is set before every later launch, too */

static void flip_word(om_member *m, om_memory *mem, size_t at, uint32_t bits)
{
    uint32_t word = 0;
    const om_copy c = { .from = mem, .from_at = at, .bytes = sizeof word };
    assert_int_equal(real->read(m->device, m->queue.stream, &c, &word, NULL), 0);
    word = sticks ? word | bits : word ^ bits;
    assert_int_equal(real->write(m->device, m->queue.stream, mem, at, &word, sizeof word), 0);
}

/* Rows with an automaton have two words. The kernels do not check the automaton state's range, so
 * only its bit 0 is flipped. */
static void flip_row(om_member *m, om_memory *mem, uint64_t rows, uint64_t units)
{
    uint64_t bit = which % 32, word = which / 32 % ((rows < units ? rows : units) * m->row);
    if (word % m->row == m->words)
        bit = 0;
    flip_word(m, mem, (size_t) word * sizeof(uint32_t), UINT32_C(1) << bit);
}

/* The flipped number must stay in bounds, because a kernel follows it. The flip turns the number
 * of an entry into that of an earlier state. */
static void flip_entry(om_member *m)
{
    const om_state_table *t = &m->table;
    const om_buffer *index = &t->index.parts[0];
    const size_t entries = index->bytes / sizeof(uint64_t);
    uint64_t entry = 0, bit = UINT64_C(1) << which % 64;
    size_t at = 0, first = (size_t) (which / 512 % entries);
    /* In most cases, choose the next used entry, if any. */
    for (size_t i = 0; i < entries && entry == 0; i += (which / 64 % 8 != 0 ? 1 : entries)) {
        at = (first + i) % entries * sizeof entry;
        const om_copy c = { .from = index->mem, .from_at = at, .bytes = sizeof entry };
        assert_int_equal(real->read(m->device, m->queue.stream, &c, &entry, NULL), 0);
    }
    if (!t->quotient && bit <= UINT32_MAX && ((entry & bit) == 0 || (uint32_t) entry == bit))
        bit <<= 32;
    entry = sticks ? entry | bit : entry ^ bit;
    assert_int_equal(
        real->write(m->device, m->queue.stream, index->mem, at, &entry, sizeof entry), 0);
}

static void flip(om_member *m)
{
    const om_buffer *marks = m->spec->accepting != NULL ? &m->accepting : &m->wanted;
    switch (target) {
    case CANDIDATE:
        flip_row(m, m->table.candidates.mem, 12, m->table.candidate_capacity);
        break;
    case ROW:
        flip_row(m, m->table.rows.parts[0].mem,
            sticks ? tiny.states : (uint64_t) m->table.stored + 1,
            m->table.rows.parts[0].bytes / m->table.rows.size);
        break;
    case ENTRY:
        flip_entry(m);
        break;
    case DEGREE:
        if (m->degree_count > 0)
            flip_word(m, m->degree.mem,
                (size_t) (which / 32 % (m->table.stored + 1) % m->degree_count) * sizeof(uint32_t),
                UINT32_C(1) << which % 32);
        break;
    case CUBE: /* one of two bits, of a proposition that must hold or must not hold */
        if (m->automaton_states != 0)
            flip_word(m, m->cubes.mem, (size_t) (which / 2 % 6) * sizeof(uint64_t),
                UINT32_C(1) << which % 2);
        break;
    default: /* both are arrays of bytes, here for two states */
        if (marks->mem != NULL) {
            uint8_t mark[2] = { 0, 0 };
            const om_copy c = { .from = marks->mem, .bytes = sizeof mark };
            assert_int_equal(real->read(m->device, m->queue.stream, &c, mark, NULL), 0);
            mark[which % 2] ^= 1;
            assert_int_equal(
                real->write(m->device, m->queue.stream, marks->mem, 0, mark, sizeof mark), 0);
        }
    }
}

/* Recognises a kernel by its number of arguments. Each segmented table adds four arguments. */
static int kind(const om_device *d, const om_launch *l)
{
    enum { EXPAND = 16, PUT = 15, INTERN = 11, MORE = 4 };
    const uint32_t more = d->segments > 1 ? MORE : 0;
    if (l->count == EXPAND + more)
        return EXPANDS;
    return l->count == PUT + 2 * more || l->count == INTERN + 2 * more ? INTERNS : ANY;
}

static int launch(om_device *d, om_stream *s, const om_launch *l)
{
    om_engine *e = under_test;
    const int is = kind(d, l), wanted = kind_of[target];
    const unsigned any = e == NULL ? 0 : atomic_fetch_add(&launches[ANY], 1),
                   at = e == NULL || is == ANY ? any : atomic_fetch_add(&launches[is], 1);
    const unsigned now = wanted == ANY ? any : at;
    for (uint32_t i = 0; e != NULL && i < e->count && (wanted == ANY || is == wanted); i++)
        if (e->members[i].queue.stream == s && (now == flip_at || (sticks && now > flip_at)))
            flip(&e->members[i]);
    return real->launch(d, s, l);
}

/* ---- one run ---- */

typedef struct way {
    const char *name;
    int property; /* PROPERTIES: no property */
    bool weak, numbers, group;
} way;

typedef struct outcome {
    om_exploration x;
    bool found; /* a wanted state or a cycle was found, or the device gave up */
    int again;  /* result code of the second search */
    unsigned launches[KINDS];
} outcome;

static outcome run(const way *w)
{
    static const uint8_t sink[] = { 0, 1 };
    const bool product = w->property != PROPERTIES;
    const om_engine_spec spec = { .size = sizeof spec,
        .device = w->group ? two : one,
        .model = model,
        .automaton = product ? automaton : NULL,
        .aps = product ? aps[w->property] : NULL,
        .ap_count = product ? 2 : 0,
        .stutter = product,
        .deadlock_ap = OM_NONE,
        .accepting = w->weak ? sink : NULL,
        .no_paths = !product && !sticks }; /* in that case, rows are dropped */
    om_tuning tuning = tiny;
    om_engine *e = NULL;
    om_id hit = OM_NO_ID;
    outcome o = { .again = OM_OK };
    tuning.numbers = w->numbers;
    if (om_engine__open(&e, ctx, &spec, &tuning) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    for (int k = 0; k < KINDS; k++)
        atomic_store(&launches[k], 0);
    under_test = e;
    int rc = om_engine_explore(e, product && !w->weak ? sink : NULL, product ? &hit : NULL, &o.x);
    if (rc == OM_OK && w->weak && hit == OM_NO_ID)
        rc = om_engine_trim(e, &hit, NULL);
    o.found = rc != OM_OK || hit != OM_NO_ID;
    assert_true(rc == OM_OK || rc == OM_EINTERNAL || rc == OM_EUNSUPPORTED);
    if (!o.found)
        o.again = om_engine__recheck(e);
    for (int k = 0; k < KINDS; k++)
        o.launches[k] = atomic_load(&launches[k]);
    assert_true(o.again == OM_OK || o.again == OM_EINTERNAL || o.again == OM_EUNSUPPORTED);
    assert_null(o.x.fault_vector);
    om_context_clear(ctx);
    under_test = NULL;
    om_engine_close(e);
    return o;
}

static bool same(const om_exploration *a, const om_exploration *b)
{
    return a->states == b->states && a->transitions == b->transitions &&
           a->deadlocks == b->deadlocks && a->levels == b->levels;
}

static const way ways[] = {
    { "explore", PROPERTIES, false, false, false },
    { "explore, numbers", PROPERTIES, false, true, false },
    { "reach", QUIET, false, false, false },
    { "reach, numbers", QUIET, false, true, false },
    { "weak", PART, true, true, false },
    { "weak, cycle", LOUD, true, true, false },
    { "reach, there", LOUD, false, false, false },
    { "explore, two", PROPERTIES, false, false, true },
    { "explore, numbers, two", PROPERTIES, false, true, true },
    { "reach, two", QUIET, false, false, true },
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Runs, without flips, all ways that the available devices support. Returns their number. */
static size_t run_all(outcome *right)
{
    size_t count = 0;
    target = CANDIDATE;
    flip_at = UINT32_MAX;
    sticks = false;
    do
        right[count] = run(&ways[count]);
    while (++count < WAYS && (!ways[count].group || two != NULL));
    return count;
}

/* ---- tests ---- */

/* The second search agrees with the first and leaves the same results. */
static void agrees(void **state)
{
    outcome right[WAYS];
    (void) state;
    const size_t count = run_all(right);
    for (size_t i = 0; i < count; i++) {
        const outcome o = right[i];
        assert_int_equal(o.again, OM_OK);
        assert_int_equal(o.found, ways[i].property == LOUD);
        if (ways[i].property == PROPERTIES) {
            assert_int_equal(o.x.states, STATES);
            assert_int_equal(o.x.transitions, TRANSITIONS);
            assert_int_equal(o.x.deadlocks, 1);
            assert_int_equal(o.x.levels, COUNTERS * TOP + 1);
        }
    }
}

/* Returns true if the first result would be believed and is wrong. */
static bool is_wrong(const outcome *o, const outcome *right)
{
    return !o->found && (right->found || !same(&o->x, &right->x));
}

/* Returns true if the way uses the flipped data. */
static bool has(const way *w, int what)
{
    return what == DEGREE                 ? w->weak && w->property == PART
           : what == CUBE || what == MARK ? w->property != PROPERTIES
                                          : true;
}

/* Every result confirmed by a second search is right. */
static void flips(void **state)
{
    static const int often[TARGETS] = { 6, 6, 6, 2, 2, 2 };
    unsigned changed[TARGETS] = { 0 }, noticed[TARGETS] = { 0 }, found[TARGETS] = { 0 };
    outcome right[WAYS];
    om_random r = { 7 };
    (void) state;
    const size_t count = run_all(right);
    for (target = 0; target < TARGETS; target++) {
        for (unsigned n = 0; n < often[target] * runs; n++) {
            size_t i = n % count;
            while (!has(&ways[i], target))
                i = om_random_below(&r, count);
            flip_at = (unsigned) om_random_below(&r, right[i].launches[kind_of[target]]);
            which = om_random_next(&r) >> 1;
            outcome o = run(&ways[i]);
            const bool wrong = is_wrong(&o, &right[i]);
            if (o.again == OM_OK && wrong)
                fail_msg("%s: %s, %llu ahead of launch %u: %llu states", ways[i].name,
                    targets[target], (unsigned long long) which, flip_at,
                    (unsigned long long) o.x.states);
            changed[target] += wrong;
            noticed[target] += o.again != OM_OK;
            found[target] += o.found && !right[i].found; /* false violations, which are rejected */
        }
        printf("%s: of %u flips %u changed what was told, %u were noticed, %u led to a violation\n",
            targets[target], often[target] * runs, changed[target], noticed[target], found[target]);
        assert_true(noticed[target] >= changed[target]);
        assert_true(target == DEGREE || noticed[target] + found[target] > 0);
    }
    assert_true(changed[CANDIDATE] > 0);
    assert_true(changed[CANDIDATE] + changed[ROW] + changed[ENTRY] + changed[CUBE] > runs / 2);
}

/* A bit of a row is stuck at 1 in both searches, a bit that no state has. The row is then missing
 * from the index. */
static void stuck(void **state)
{
    enum { FIRST_BIT = 24 };
    unsigned changed = 0, noticed = 0;
    outcome right[WAYS];
    om_random r = { 9 };
    (void) state;
    const size_t count = run_all(right);
    target = ROW;
    sticks = true;
    flip_at = 0;
    for (unsigned n = 0; n < 2 * runs; n++) {
        const size_t i = n % count;
        const uint64_t row = om_random_below(&r, tiny.states),
                       words = 1 + (ways[i].property != PROPERTIES);
        which = row * words * 32 + FIRST_BIT + om_random_below(&r, 32 - FIRST_BIT);
        outcome o = run(&ways[i]);
        const bool wrong = is_wrong(&o, &right[i]);
        if (o.again == OM_OK && wrong)
            fail_msg("%s: %llu: %llu states", ways[i].name, (unsigned long long) which,
                (unsigned long long) o.x.states);
        changed += wrong;
        noticed += o.again != OM_OK;
    }
    sticks = false;
    printf("stuck: %u changed what was told, %u were noticed\n", changed, noticed);
    assert_true(changed > runs / 2 && noticed >= changed);
}

int main(void)
{
    const bool host = strncmp(reference_device_name(), "host", 4) == 0;
    if (setenv("POCL_DEVICES", "basic basic", 1) != 0 || om_context_new(&ctx, NULL) != OM_OK)
        return 1;
    devices = reference_device(ctx, &one);
    runs = host ? runs : runs / 2; /* pocl is slow with few states */
    if (host || om_devices_count(devices) > 1)
        if (om_devices_pick(devices, ctx, host ? "host,host" : "0,1", &two) != OM_OK)
            return 1;
    real = one->backend;
    flipping = *real;
    flipping.launch = launch;
    for (size_t i = 0; i < devices->count; i++)
        devices->items[i].backend = &flipping;
    make_model();
    make_automaton();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees),
        cmocka_unit_test(flips),
        cmocka_unit_test(stuck),
    };
    int bad = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < devices->count; i++)
        devices->items[i].backend = real;
    om_devices_close(devices);
    om_automaton_free(automaton);
    om_model_free(model);
    om_context_free(ctx);
    return bad;
}
