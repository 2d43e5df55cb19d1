/* SPDX-License-Identifier: Apache-2.0 */
/* From a property to a verdict, for every kind of property, and requests that must be rejected. */
#include "heap.h"
#include "unit/lasso/small_model.h"
#include "unit/plan/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct world {
    om_context *ctx;
    om_registry *registry;
    om_model *m;
    small_slots slots;
    om_plan_options options; /* options of the next check */
    unsigned notices;
} world;

static void count_note(void *self, om_note_level level, const char *text)
{
    world *w = self;
    (void) text;
    w->notices += level == OM_NOTE_NOTICE;
}

/* Adds two properties to the model: one forbids GF flag & GF !flag, the other forbids nothing. */
static void add_properties(const world *w)
{
    om_automaton *a = NULL, *none = NULL;
    om_expr flag = om_expr_slot(w->m, w->slots.flag);
    uint32_t first;
    assert_int_equal(small_automaton(w->ctx, &a), OM_OK);
    assert_int_equal(om_model_add_property(w->m, "steady", a, &flag), OM_OK);
    assert_int_equal(om_automaton_new(&none, w->ctx, 0, NULL), OM_OK);
    assert_int_equal(om_automaton_add_states(none, 1, &first), OM_OK);
    assert_int_equal(om_automaton_add_initial(none, 0), OM_OK);
    assert_int_equal(om_automaton_finish(none), OM_OK);
    assert_int_equal(om_model_add_property(w->m, "anything", none, NULL), OM_OK);
}

static int setup(void **state)
{
    world *w = calloc(1, sizeof *w);
    *state = w;
    assert_int_equal(om_context_new(&w->ctx, NULL), OM_OK);
    om_context_on_note(w->ctx, count_note, w);
    assert_int_equal(om_registry_new(&w->registry, w->ctx), OM_OK);
    assert_int_equal(small_model_begin(w->ctx, &w->m, &w->slots), OM_OK);
    add_properties(w);
    assert_int_equal(om_model_finish(w->m), OM_OK);
    w->options = (om_plan_options){ .device = "none", .exec = OM_EXEC_VM, .threads = 1 };
    return 0;
}

static int teardown(void **state)
{
    world *w = *state;
    om_model_free(w->m);
    om_registry_free(w->registry);
    om_context_free(w->ctx);
    free(w);
    return 0;
}

static int check(world *w, om_property_kind kind, const char *text, om_check_result *out)
{
    om_plan *p = NULL;
    om_context_clear(w->ctx);
    int rc = om_plan_new(&p, w->ctx, w->registry, &fixture_frontend, w->m, &w->options);
    if (rc == OM_OK)
        rc = om_plan_check(p, kind, text, out);
    om_plan_free(p);
    return rc;
}

static void expect(
    world *w, om_property_kind kind, const char *text, om_verdict verdict, size_t lasso)
{
    om_check_result r = { 0 };
    int rc = check(w, kind, text, &r);
    if (rc != OM_OK)
        fail_msg("%s: %s", text == NULL ? "" : text, om_context_error(w->ctx));
    assert_int_equal(r.verdict, verdict);
    assert_int_equal(r.has_lasso, verdict == OM_VIOLATED);
    if (lasso != 0)
        assert_int_equal(r.lasso.count, lasso);
    om_check_result_free(&r);
}

static void expect_refusal(
    world *w, om_property_kind kind, const char *text, int status, const char *said)
{
    om_check_result r = { 0 };
    assert_int_equal(check(w, kind, text, &r), status);
    if (strstr(om_context_error(w->ctx), said) == NULL)
        fail_msg("expected '%s' in '%s'", said, om_context_error(w->ctx));
    assert_int_equal(r.part_count, 0);
    assert_false(r.has_lasso);
}

static void all_properties(world *w)
{
    expect(w, OM_PROPERTY_DEFAULT, NULL, OM_VIOLATED, 5);
    expect(w, OM_PROPERTY_NAMED, "steady", OM_VIOLATED, 5);
    expect(w, OM_PROPERTY_DEADLOCK, NULL, OM_VIOLATED, 7);
    expect(w, OM_PROPERTY_INVARIANT, "count<3", OM_VIOLATED, 6);
    expect(w, OM_PROPERTY_INVARIANT, "count<4", OM_HOLDS, 0);
    expect(w, OM_PROPERTY_LTL, "G \"count<3\"", OM_VIOLATED, 0);
    expect(w, OM_PROPERTY_LTL, "G \"count<4\"", OM_HOLDS, 0);
    expect(w, OM_PROPERTY_LTL, "F \"count==3\"", OM_VIOLATED, 5);
    expect(w, OM_PROPERTY_LTL, "FG flag | FG !flag", OM_VIOLATED, 5);
    expect(w, OM_PROPERTY_LTL, "G(\"phase==2\" -> G \"phase==2\")", OM_HOLDS, 0);
    expect(w, OM_PROPERTY_LTL, "GF \"phase==0\"", OM_VIOLATED, 0);
}

static void verdicts(void **state)
{
    world *w = *state;
    static const om_schedule schedules[] = { OM_SCHEDULE_AUTO, OM_SCHEDULE_CONCURRENT,
        OM_SCHEDULE_SEQUENTIAL };
    for (unsigned threads = 1; threads <= 3; threads++)
        for (size_t s = 0; s < 3; s++) {
            w->options.threads = threads;
            w->options.schedule = schedules[s];
            w->options.seed = threads;
            all_properties(w);
        }
    w->options.checker = "dijkstra";
    all_properties(w);
}

/* An automaton without an accepting cycle needs no exploration: it holds, without parts. A checker
 * requested by name explores anyway. */
static void nothing_to_accept(void **state)
{
    world *w = *state;
    om_check_result r = { 0 };
    expect(w, OM_PROPERTY_NAMED, "anything", OM_HOLDS, 0);
    w->options.checker = "dijkstra";
    assert_int_equal(check(w, OM_PROPERTY_NAMED, "anything", &r), OM_OK);
    assert_int_equal(r.verdict, OM_HOLDS);
    assert_int_equal(r.part_count, 1);
    om_check_result_free(&r);
}

/* If finite runs are ignored, only those that toggle for ever remain. */
static void finite_runs_may_be_ignored(void **state)
{
    world *w = *state;
    w->options.ignore_finite_runs = true;
    expect(w, OM_PROPERTY_LTL, "F \"count==2\"", OM_HOLDS, 0);
    expect(w, OM_PROPERTY_LTL, "GF \"phase==1\"", OM_HOLDS, 0);
    expect(w, OM_PROPERTY_LTL, "G \"count<3\"", OM_HOLDS, 0);
    expect(w, OM_PROPERTY_LTL, "G \"count<2\"", OM_VIOLATED, 0);
    expect(w, OM_PROPERTY_DEADLOCK, NULL, OM_VIOLATED, 7);
    expect(w, OM_PROPERTY_INVARIANT, "count<3", OM_VIOLATED, 6);
    w->options.checker = "dijkstra";
    expect(w, OM_PROPERTY_LTL, "G \"count<3\"", OM_HOLDS, 0);
    w->options.ignore_finite_runs = false;
    w->options.checker = NULL;
    expect(w, OM_PROPERTY_LTL, "GF \"phase==1\"", OM_VIOLATED, 0);
}

static void refusals(void **state)
{
    world *w = *state;
    expect_refusal(w, OM_PROPERTY_LTL, "G nothing", OM_EINPUT, "nothing");
    expect_refusal(w, OM_PROPERTY_LTL, "G (flag", OM_EINPUT, "LTL formula:1:");
    expect_refusal(w, OM_PROPERTY_LTL, NULL, OM_EINVAL, "needs a text");
    expect_refusal(w, OM_PROPERTY_NAMED, "stedy", OM_EUSAGE, "steady");
    expect_refusal(w, OM_PROPERTY_INVARIANT, "nothing", OM_EINPUT, "nothing");
    expect_refusal(w, OM_PROPERTY_AUTOMATON, "/nonexistent.hoa", OM_EIO, "/nonexistent.hoa");
    expect_refusal(w, OM_PROPERTY_LTL_FILE, "/nonexistent.ltl", OM_EIO, "/nonexistent.ltl");
    w->options.checker = "dijkstar";
    expect_refusal(w, OM_PROPERTY_DEADLOCK, NULL, OM_EUSAGE, "dijkstra");
    w->options.checker = "dijkstra:depth=1";
    expect_refusal(w, OM_PROPERTY_DEADLOCK, NULL, OM_EUSAGE, "depth");
    w->options.checker = "reach";
    expect_refusal(w, OM_PROPERTY_NAMED, "steady", OM_EUSAGE,
        "checker reach is not sound for strong automata; use dijkstra, ufscc or streett");
    w->options.checker = NULL;
    w->options.strong = "weak-swarm";
    expect_refusal(w, OM_PROPERTY_NAMED, "steady", OM_EUSAGE,
        "checker weak-swarm is not sound for strong automata; use dijkstra, ufscc or streett");
    /* reach is sound for a terminal part only if every run is infinite. */
    w->options.strong = NULL;
    w->options.terminal = "reach";
    expect(w, OM_PROPERTY_LTL, "G \"count<3\"", OM_VIOLATED, 0);
    w->options.ignore_finite_runs = true;
    expect_refusal(w, OM_PROPERTY_LTL, "G \"count<3\"", OM_EUSAGE,
        "checker reach is not sound for weak automata; use weak-hybrid, weak-swarm or ufscc");
}

static void refused_devices(void **state)
{
    world *w = *state;
    assert_int_equal(setenv("OCL_ICD_VENDORS", "/nonexistent", 1), 0);
    w->options.device = "gpu";
    expect_refusal(w, OM_PROPERTY_DEADLOCK, NULL, OM_EUNSUPPORTED, "gpu");
    w->options.device = NULL;
    w->options.terminal = "reach-cl";
    expect_refusal(w, OM_PROPERTY_DEADLOCK, NULL, OM_EUNSUPPORTED, "reach-cl");
    /* No device was requested: the CPU takes over without a notice. */
    w->options.terminal = NULL;
    w->notices = 0;
    expect(w, OM_PROPERTY_DEADLOCK, NULL, OM_VIOLATED, 7);
    assert_int_equal(w->notices, 0);
}

/* A lasso of one property does not fit another. */
static void replaying(void **state)
{
    world *w = *state;
    om_plan *p = NULL;
    om_check_result r = { 0 };
    assert_int_equal(
        om_plan_new(&p, w->ctx, w->registry, &fixture_frontend, w->m, &w->options), OM_OK);
    assert_int_equal(om_plan_check(p, OM_PROPERTY_NAMED, "steady", &r), OM_OK);
    assert_int_equal(om_plan_replay(p, OM_PROPERTY_NAMED, "steady", &r.lasso), OM_OK);
    assert_int_equal(om_plan_replay(p, OM_PROPERTY_LTL, "FG flag | FG !flag", &r.lasso), OM_OK);
    assert_int_equal(om_plan_replay(p, OM_PROPERTY_LTL, "GF flag", &r.lasso), OM_EINPUT);
    om_context_clear(w->ctx);
    assert_int_equal(om_plan_replay(p, OM_PROPERTY_DEADLOCK, NULL, &r.lasso), OM_EINPUT);
    om_check_result_free(&r);
    om_plan_free(p);
}

/* Properties read in advance have the same results. */
static void reading_ahead(void **state)
{
    static const struct {
        om_property_kind kind;
        const char *text;
        om_verdict verdict;
    } good[] = { { OM_PROPERTY_LTL, "G \"count<3\"", OM_VIOLATED },
        { OM_PROPERTY_LTL, "G \"count<4\"", OM_HOLDS }, { OM_PROPERTY_DEFAULT, NULL, OM_VIOLATED },
        { OM_PROPERTY_NAMED, "steady", OM_VIOLATED }, { OM_PROPERTY_DEADLOCK, NULL, OM_VIOLATED },
        { OM_PROPERTY_INVARIANT, "count<4", OM_HOLDS } };
    enum { GOOD = sizeof good / sizeof *good };
    world *w = *state;
    om_plan *p = NULL;
    om_target *t[GOOD] = { NULL }, *none = NULL;
    om_check_result r = { 0 };
    assert_int_equal(
        om_plan_new(&p, w->ctx, w->registry, &fixture_frontend, w->m, &w->options), OM_OK);
    for (size_t i = 0; i < GOOD; i++)
        assert_int_equal(om_plan_read(&t[i], p, good[i].kind, good[i].text), OM_OK);
    assert_int_equal(om_plan_read(&none, p, OM_PROPERTY_LTL, "G nothing"), OM_EINPUT);
    assert_non_null(strstr(om_context_error(w->ctx), "LTL formula:1:3: proposition 'nothing'"));
    om_context_clear(w->ctx);
    assert_int_equal(om_plan_read(&none, p, OM_PROPERTY_LTL, "G (flag"), OM_EINPUT);
    om_context_clear(w->ctx);
    assert_int_equal(om_plan_read(&none, p, OM_PROPERTY_NAMED, "stedy"), OM_EUSAGE);
    om_context_clear(w->ctx);
    assert_null(none);
    for (size_t i = GOOD; i-- > 0;) {
        assert_int_equal(om_plan_check_target(p, t[i], &r), OM_OK);
        assert_int_equal(r.verdict, good[i].verdict);
        assert_int_equal(r.has_lasso, good[i].verdict == OM_VIOLATED);
        if (good[i].text != NULL)
            assert_string_equal(r.property, good[i].text);
        om_check_result_free(&r);
        om_target_free(p, t[i]);
    }
    om_target_free(p, NULL);
    om_plan_free(p);
}

static void limits(void **state)
{
    world *w = *state;
    om_check_result r = { 0 };
    w->options.limits.max_states = 3;
    assert_int_equal(check(w, OM_PROPERTY_NAMED, "steady", &r), OM_OK);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_string_equal(r.reason, om_stop_reason_name(OM_STOP_STATES));
    assert_false(r.has_lasso);
    om_check_result_free(&r);
}

/* Reads and replays everything with the given heap. */
static int replay_all(const world *w, const om_heap *heap, const om_lasso *lasso)
{
    static const struct {
        om_property_kind kind;
        const char *text;
        int status;
    } claims[] = { { OM_PROPERTY_NAMED, "steady", OM_OK },
        { OM_PROPERTY_LTL, "FG flag | FG !flag", OM_OK }, { OM_PROPERTY_DEADLOCK, NULL, OM_EINPUT },
        { OM_PROPERTY_INVARIANT, "flag", OM_EINPUT } };
    om_context *ctx = NULL;
    om_plan *p = NULL;
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = om_plan_new(&p, ctx, w->registry, &fixture_frontend, w->m, &w->options);
    for (size_t i = 0; rc == OM_OK && i < sizeof claims / sizeof *claims; i++) {
        om_target *t = NULL;
        rc = om_plan_read(&t, p, claims[i].kind, claims[i].text);
        om_target_free(p, t);
        if (rc != OM_OK)
            break;
        rc = om_plan_replay(p, claims[i].kind, claims[i].text, lasso);
        if (rc == claims[i].status) {
            om_context_clear(ctx);
            rc = OM_OK;
        }
    }
    om_plan_free(p);
    om_context_free(ctx);
    return rc;
}

static void memory_may_run_out_anywhere(void **state)
{
    world *w = *state;
    om_check_result r = { 0 };
    assert_int_equal(check(w, OM_PROPERTY_NAMED, "steady", &r), OM_OK);
    for (size_t n = 0;; n++) {
        test_heap h;
        test_heap_init(&h, n);
        int rc = replay_all(w, &h.heap, &r.lasso);
        assert_int_equal(h.live, 0);
        if (rc == OM_OK)
            break;
        assert_int_equal(rc, OM_ENOMEM);
        assert_true(n < 5000);
    }
    om_check_result_free(&r);
}

/* Like test_heap, for several threads. */
typedef struct shared_heap {
    om_heap heap;
    atomic_size_t calls, live;
    size_t fail_at;
} shared_heap;

static void *shared_resize(void *self, void *p, size_t bytes)
{
    shared_heap *h = self;
    /* relaxed: counters, read after the threads are joined. */
    if (bytes == 0) {
        if (p != NULL)
            atomic_fetch_sub_explicit(&h->live, 1, memory_order_relaxed);
        free(p);
        return NULL;
    }
    if (atomic_fetch_add_explicit(&h->calls, 1, memory_order_relaxed) == h->fail_at)
        return NULL;
    void *now = realloc(p, bytes);
    if (p == NULL && now != NULL)
        atomic_fetch_add_explicit(&h->live, 1, memory_order_relaxed);
    return now;
}

/* A check with that heap: an answer or "out of memory", but never a wrong answer. */
static int check_under(const world *w, const om_heap *heap, const char *formula)
{
    om_context *ctx = NULL;
    om_plan *p = NULL;
    om_check_result r = { 0 };
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = om_plan_new(&p, ctx, w->registry, &fixture_frontend, w->m, &w->options);
    if (rc == OM_OK)
        rc = om_plan_check(p, OM_PROPERTY_LTL, formula, &r);
    if (rc == OM_OK && r.verdict != OM_UNKNOWN) {
        assert_int_equal(r.verdict, OM_VIOLATED);
        assert_true(r.has_lasso || r.lasso.count == 0); /* the lasso may exceed the memory */
    }
    if (rc != OM_OK)
        assert_false(r.has_lasso);
    om_check_result_free(&r);
    om_plan_free(p);
    om_context_free(ctx);
    return rc;
}

static void memory_may_run_out_in_a_check(void **state)
{
    world *w = *state;
    static const char *const formulas[] = { "FG flag | FG !flag", "G \"count<3\"",
        "F \"count==3\"" };
    for (unsigned threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
            for (size_t n = 0;; n++) {
                shared_heap h = { .heap = { shared_resize, &h }, .fail_at = n };
                w->options.threads = threads;
                int rc = check_under(w, &h.heap, formulas[i]);
                assert_int_equal(atomic_load(&h.live), 0);
                assert_true(rc == OM_OK || rc == OM_ENOMEM);
                if (atomic_load(&h.calls) <= n)
                    break;
            }
}

static void exploring(void **state)
{
    world *w = *state;
    om_plan *p = NULL;
    om_exploration e;
    assert_int_equal(
        om_plan_new(&p, w->ctx, w->registry, &fixture_frontend, w->m, &w->options), OM_OK);
    assert_int_equal(om_plan_explore(p, &e, NULL), OM_OK);
    /* The flag is up or down from the second start on: four states twice. */
    assert_int_equal(e.states, 3 + 2 * 4);
    assert_int_equal(e.deadlocks, 2);
    assert_int_equal(e.levels, 8);
    om_plan_free(p);
}

/* A byte that counts up; its successor of 255 is an overflow. */
static int counting_model(om_context *ctx, om_model **out)
{
    static const int32_t start = 250;
    const om_slot slot = { .name = "x", .type = OM_U8, .process = OM_NONE, .initial = &start };
    const om_written written = { 7, 3 };
    om_transition t = { .process = OM_NONE,
        .partner = OM_NONE,
        .assign_count = 1,
        .written = &written,
        .label = "up",
        .place = { "up.m", 7, 1 } };
    om_model *m = NULL;
    uint32_t x = 0;
    int rc = om_model_new(&m, ctx, "up.m");
    if (rc == OM_OK)
        rc = om_model_add_slot(m, &slot, &x);
    if (rc == OM_OK) {
        const om_assign up = { x, 0,
            om_expr_binary(m, OM_OP_ADD, om_expr_slot(m, x), om_expr_const(m, 1)) };
        t.assigns = &up;
        rc = om_model_add_transition(m, &t, NULL);
    }
    if (rc == OM_OK)
        rc = om_model_finish(m);
    *out = m;
    return rc;
}

/* Checks the report, as far as memory sufficed for it. */
static void judge_overflow(const om_overflow_report *r, bool whole)
{
    assert_true(!whole || r != NULL);
    assert_true(r == NULL || r->count == 1);
    if (!whole)
        return;
    assert_string_equal(r->first.variable, "x");
    assert_int_equal(r->first.element, OM_NONE);
    assert_true(r->first.value == 256 && r->first.stored == 0);
    assert_true(r->first.place.line == 7 && r->first.place.column == 3);
    assert_int_equal(r->trace.count, 6);
    assert_int_equal(r->trace.transitions[4], 0);
}

/* Explores, and checks a property that holds, with the given heap. */
static int count_overflows(const world *w, const om_heap *heap, bool whole)
{
    om_plan_options options = w->options;
    om_context *ctx = NULL;
    om_model *m = NULL;
    om_plan *p = NULL;
    om_exploration e = { 0 };
    om_check_result r = { 0 };
    int rc = om_context_new(&ctx, heap);
    if (rc == OM_OK)
        rc = counting_model(ctx, &m);
    if (rc == OM_OK)
        rc = om_plan_new(&p, ctx, w->registry, &fixture_frontend, m, &options);
    if (rc == OM_OK)
        rc = om_plan_explore(p, &e, NULL);
    if (rc == OM_OK) {
        assert_int_equal(e.states, 256);
        assert_null(e.overflow_vector);
        judge_overflow(om_plan_overflows(p), whole);
        rc = om_plan_check(p, OM_PROPERTY_INVARIANT, "x<256", &r);
    }
    if (rc == OM_OK && r.verdict != OM_UNKNOWN) {
        assert_int_equal(r.verdict, OM_HOLDS);
        /* It was reported before. */
        assert_true(
            !whole || (om_plan_overflows(p)->count == 1 && om_plan_overflows(p)->trace.count == 0));
    }
    om_check_result_free(&r);
    om_plan_free(p);
    om_model_free(m);
    om_context_free(ctx);
    return rc;
}

static void overflows(void **state)
{
    const world *w = *state;
    assert_int_equal(count_overflows(w, om_heap_default(), true), OM_OK);
    for (size_t n = 0;; n++) {
        shared_heap h = { .heap = { shared_resize, &h }, .fail_at = n };
        int rc = count_overflows(w, &h.heap, false);
        assert_int_equal(atomic_load(&h.live), 0);
        assert_true(rc == OM_OK || rc == OM_ENOMEM || rc == OM_ELIMIT);
        if (atomic_load(&h.calls) <= n)
            break;
    }
}

/* The same, with overflows as errors of the model. */
static void overflows_as_errors(void **state)
{
    world *w = *state;
    om_model *m = NULL;
    om_plan *p = NULL;
    om_check_result r = { 0 };
    om_exploration e = { 0 };
    om_lasso trace = { 0 };
    static const char said[] = "up.m:7:3: 256 does not fit x (0 .. 255) in transition up";
    w->options.overflow = OM_OVERFLOW_ERROR;
    assert_int_equal(counting_model(w->ctx, &m), OM_OK);
    assert_int_equal(
        om_plan_new(&p, w->ctx, w->registry, &fixture_frontend, m, &w->options), OM_OK);
    assert_int_equal(om_plan_check(p, OM_PROPERTY_INVARIANT, "x<256", &r), OM_EMODEL);
    assert_string_equal(om_context_error(w->ctx), said);
    assert_int_equal(r.verdict, OM_UNKNOWN);
    assert_int_equal(r.lasso.count, 6);
    assert_int_equal(r.lasso.form.overflow, OM_OVERFLOW_ERROR);
    om_check_result_free(&r);
    om_context_clear(w->ctx);
    assert_int_equal(om_plan_explore(p, &e, &trace), OM_EMODEL);
    assert_string_equal(om_context_error(w->ctx), said);
    assert_int_equal(OM_FAULT_KIND(e.fault), OM_FAULT_OVERFLOW);
    assert_int_equal(trace.count, 6);
    om_lasso_free(&trace);
    assert_null(om_plan_overflows(p));
    om_free(om_context_heap(w->ctx), e.fault_vector);
    om_plan_free(p);
    om_model_free(m);
}

/* Checks with a plan of its own whether the language is empty. */
static int is_empty(om_context *ctx, const om_registry *registry, const om_automaton *a,
    const om_plan_options *options, om_check_result *out)
{
    om_plan *p = NULL;
    int rc = om_plan_new(&p, ctx, registry, NULL, NULL, options);
    *out = (om_check_result){ 0 };
    if (rc == OM_OK)
        rc = om_plan_empty(p, a, out);
    om_plan_free(p);
    return rc;
}

static void emptiness(void **state)
{
    world *w = *state;
    om_automaton *a = NULL;
    om_check_result r = { 0 };
    assert_int_equal(small_automaton(w->ctx, &a), OM_OK);
    assert_int_equal(is_empty(w->ctx, w->registry, a, &w->options, &r), OM_OK);
    assert_int_equal(r.verdict, OM_VIOLATED);
    assert_true(r.has_lasso);
    assert_int_equal(r.lasso.words, 2);
    om_check_result_free(&r);
    assert_int_equal(
        is_empty(w->ctx, w->registry, om_model_property(w->m, 1)->automaton, &w->options, &r),
        OM_OK);
    assert_int_equal(r.verdict, OM_HOLDS);
    om_check_result_free(&r);
    om_automaton_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(verdicts, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_to_accept, setup, teardown),
        cmocka_unit_test_setup_teardown(finite_runs_may_be_ignored, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(refused_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(replaying, setup, teardown),
        cmocka_unit_test_setup_teardown(reading_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(limits, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_may_run_out_anywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_may_run_out_in_a_check, setup, teardown),
        cmocka_unit_test_setup_teardown(exploring, setup, teardown),
        cmocka_unit_test_setup_teardown(overflows, setup, teardown),
        cmocka_unit_test_setup_teardown(overflows_as_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(emptiness, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
