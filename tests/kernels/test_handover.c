/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device that fails, at any moment and in any call, costs a check its device and nothing else:
 * the CPU goes on, with the verdict and the figures that it would have come to alone.
 */
#include "devices.h"
#include "reference.h"
#include "session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static om_context *ctx;
static om_devices *devices;
static om_registry *registry;
static om_model *model;
static unsigned notices;

/* ---- calls that fail ---- */

enum { BUFFER, LAUNCH, READ, WRITE, FILL, COPY, FINISH, WAIT, CALLS };
static const char *const names[CALLS] = { "clCreateBuffer", "clEnqueueNDRangeKernel",
    "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueFillBuffer", "clEnqueueCopyBuffer",
    "clFinish", "clWaitForEvents" };
static om_cl real;
/* What fails: the call number `at` of that kind, and with `lost` every call of any kind behind it.
 */
static int kind;
static unsigned at;
static bool lost;
static atomic_uint calls;
static atomic_bool failed;

static bool fails(int this_kind)
{
    if (lost && atomic_load(&failed))
        return true;
    if (this_kind != kind || atomic_fetch_add(&calls, 1) != at)
        return false;
    atomic_store(&failed, true);
    return true;
}

/* As many arguments as OpenCL's have. NOLINTBEGIN(readability-function-size) */
static cl_mem CL_API_CALL create_buffer(
    cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *error)
{
    if (!fails(BUFFER))
        return real.clCreateBuffer(c, flags, bytes, host, error);
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

static cl_int CL_API_CALL launch(cl_command_queue q, cl_kernel k, cl_uint dimensions,
    const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
    const cl_event *wait, cl_event *event)
{
    return fails(LAUNCH) ? CL_OUT_OF_RESOURCES
                         : real.clEnqueueNDRangeKernel(
                               q, k, dimensions, offset, global, local, n, wait, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem b, cl_bool block, size_t from,
    size_t bytes, void *to, cl_uint n, const cl_event *wait, cl_event *event)
{
    return fails(READ) ? CL_OUT_OF_HOST_MEMORY
                       : real.clEnqueueReadBuffer(q, b, block, from, bytes, to, n, wait, event);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem b, cl_bool block, size_t to,
    size_t bytes, const void *from, cl_uint n, const cl_event *wait, cl_event *event)
{
    return fails(WRITE) ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                        : real.clEnqueueWriteBuffer(q, b, block, to, bytes, from, n, wait, event);
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue q, cl_mem b, const void *pattern,
    size_t size, size_t to, size_t bytes, cl_uint n, const cl_event *wait, cl_event *event)
{
    return fails(FILL) ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                       : real.clEnqueueFillBuffer(q, b, pattern, size, to, bytes, n, wait, event);
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_at,
    size_t to_at, size_t bytes, cl_uint n, const cl_event *wait, cl_event *event)
{
    return fails(COPY)
               ? CL_MEM_OBJECT_ALLOCATION_FAILURE
               : real.clEnqueueCopyBuffer(q, from, to, from_at, to_at, bytes, n, wait, event);
}

/* NOLINTEND(readability-function-size) */

static cl_int CL_API_CALL finish(cl_command_queue q)
{
    cl_int error = real.clFinish(q); /* nothing may go on with memory that is given up */
    return fails(FINISH) ? CL_DEVICE_NOT_AVAILABLE : error;
}

static cl_int CL_API_CALL wait_for(cl_uint n, const cl_event *events)
{
    cl_int error = real.clWaitForEvents(n, events);
    return fails(WAIT) ? CL_DEVICE_NOT_AVAILABLE : error;
}

static void spoil(om_devices *d)
{
    real = d->cl;
    d->cl.clCreateBuffer = create_buffer;
    d->cl.clEnqueueNDRangeKernel = launch;
    d->cl.clEnqueueReadBuffer = read_buffer;
    d->cl.clEnqueueWriteBuffer = write_buffer;
    d->cl.clEnqueueFillBuffer = fill_buffer;
    d->cl.clEnqueueCopyBuffer = copy_buffer;
    d->cl.clFinish = finish;
    d->cl.clWaitForEvents = wait_for;
}

static void count_note(void *self, om_note_level level, const char *text)
{
    (void) self;
    notices += level == OM_NOTE_NOTICE && strstr(text, "the CPU") != NULL;
}

/* ---- one run ---- */

typedef struct outcome {
    uint64_t states, transitions, deadlocks;
    om_verdict verdict;
    bool on_device;
} outcome;

static om_plan *open_plan(const char *device, const char *checker)
{
    om_plan_options options = { .device = device,
        .checker = checker,
        .threads = 1,
        .exec = OM_EXEC_VM,
        .schedule = OM_SCHEDULE_SEQUENTIAL };
    om_plan *p = NULL;
    assert_int_equal(om_plan_new(&p, ctx, registry, NULL, model, &options), OM_OK);
    p->devices.list = devices; /* drivers take their time to start: once is enough */
    return p;
}

static void close_plan(om_plan *p)
{
    assert_ptr_equal(p->devices.list, devices);
    p->devices.list = NULL;
    om_plan_free(p);
}

static outcome explore(const char *device)
{
    om_plan *p = open_plan(device, NULL);
    om_exploration x;
    int rc = om_plan_explore(p, &x, NULL);
    if (rc != OM_OK)
        fail_msg("%s %u%s: %d: %s", names[kind], at, lost ? " and all behind" : "", rc,
            om_context_error(ctx));
    outcome o = { .states = x.states,
        .transitions = x.transitions,
        .deadlocks = x.deadlocks,
        .on_device = x.device != NULL };
    assert_true(o.on_device == (x.gave_up == NULL) || strcmp(device, "none") == 0);
    close_plan(p);
    return o;
}

static outcome check(const char *device, const char *checker, const char *property)
{
    om_plan *p = open_plan(device, checker);
    om_check_result r;
    int rc = om_plan_check(p, OM_PROPERTY_NAMED, property, &r);
    if (rc != OM_OK)
        fail_msg("%s %u%s: %d: %s", names[kind], at, lost ? " and all behind" : "", rc,
            om_context_error(ctx));
    outcome o = { .states = r.states,
        .transitions = r.transitions,
        .verdict = r.verdict,
        .on_device = r.part_count > 0 && r.parts[0].device != NULL };
    if (r.part_count > 0 && strcmp(device, "none") != 0)
        assert_true((r.parts[0].device == NULL) == (r.parts[0].gave_up != NULL));
    assert_int_equal(r.has_lasso, r.verdict == OM_VIOLATED);
    om_check_result_free(&r);
    close_plan(p);
    return o;
}

static void none_fails(void)
{
    at = UINT32_MAX;
    lost = false;
    atomic_store(&calls, 0);
    atomic_store(&failed, false);
    notices = 0;
}

/* Fails at the n-th call of a kind for all small n, and some of the others, until none did. */
static void try_all(const char *device, const char *checker, const char *property, outcome expected)
{
    unsigned handed_over = 0;
    for (int all = 0; all < 2; all++)
        for (kind = 0; kind < CALLS; kind++)
            for (unsigned n = 0;; n += 1 + n / 4) {
                none_fails();
                at = n;
                lost = all != 0;
                outcome o = checker == NULL ? explore(device) : check(device, checker, property);
                if (o.states != expected.states && expected.verdict != OM_VIOLATED)
                    fail_msg("%s %u: %llu states", names[kind], n, (unsigned long long) o.states);
                if (expected.verdict != OM_VIOLATED)
                    assert_int_equal(o.transitions, expected.transitions);
                assert_int_equal(o.verdict, expected.verdict);
                assert_int_equal(o.deadlocks, expected.deadlocks);
                if (!o.on_device) {
                    assert_true(atomic_load(&failed));
                    assert_int_equal(notices, 1);
                    handed_over++;
                }
                if (!atomic_load(&failed))
                    break;
            }
    none_fails();
    printf("%s: handed over %u times\n", checker == NULL ? "explore" : checker, handed_over);
    assert_true(handed_over > 20);
}

/* ---- tests ---- */

static void exploring(void **state)
{
    (void) state;
    none_fails();
    outcome cpu = explore("none"), there = explore("0");
    assert_true(cpu.states > 10 && there.on_device && !cpu.on_device);
    assert_int_equal(cpu.states, there.states);
    assert_int_equal(cpu.transitions, there.transitions);
    assert_int_equal(cpu.deadlocks, there.deadlocks);
    try_all("0", NULL, NULL, cpu);
}

static void exploring_together(void **state)
{
    (void) state;
    none_fails();
    outcome cpu = explore("none"), there = explore("0,1");
    assert_int_equal(cpu.states, there.states);
    assert_int_equal(cpu.transitions, there.transitions);
    try_all("0,1", NULL, NULL, cpu);
}

static void checking(void **state)
{
    static const char *const checkers[] = { "reach-cl", "weak-cl" };
    (void) state;
    for (size_t i = 0; i < 2; i++) {
        none_fails();
        outcome holds = check("0", checkers[i], "quiet"),
                violated = check("0", checkers[i], "loud");
        assert_true(holds.on_device && violated.on_device);
        assert_int_equal(holds.verdict, OM_HOLDS);
        assert_int_equal(violated.verdict, OM_VIOLATED);
        try_all("0", checkers[i], "quiet", holds);
        try_all("0", checkers[i], "loud", violated);
    }
}

/* Forbidden are the runs where the proposition holds somewhere. */
static void add_property(om_model *m, const char *name, om_expr proposition)
{
    static const char *const ap_names[] = { "a" };
    static const om_cube any = { 0, 0 }, holds = { 1, 0 };
    om_automaton *a = NULL;
    if (om_automaton_new(&a, ctx, 1, ap_names) != OM_OK ||
        om_automaton_add_states(a, 2, NULL) != OM_OK ||
        om_automaton_set_generalized_buchi(a, 1) != OM_OK ||
        om_automaton_add_edge(a, 0, 0, 0, &any, 1) != OM_OK ||
        om_automaton_add_edge(a, 0, 1, 0, &holds, 1) != OM_OK ||
        om_automaton_add_edge(a, 1, 1, 1, &any, 1) != OM_OK ||
        om_automaton_add_initial(a, 0) != OM_OK || om_automaton_finish(a) != OM_OK ||
        om_model_add_property(m, name, a, &proposition) != OM_OK)
        abort();
}

/* Counters that go up to the top: a grid with one deadlock. */
static om_model *make_model(void)
{
    enum { COUNTERS = 3, TOP = 5 };
    static const char *const slot_names[COUNTERS] = { "x", "y", "z" };
    static const int32_t zero = 0;
    om_model *m = NULL;
    uint32_t slots[COUNTERS];
    if (om_model_new(&m, ctx, "grid") != OM_OK)
        abort();
    for (uint32_t i = 0; i < COUNTERS; i++) {
        uint32_t process = 0;
        om_slot slot = { .name = slot_names[i], .type = OM_U8, .process = i, .initial = &zero };
        if (om_model_add_process(m, slot_names[i], &process) != OM_OK ||
            om_model_add_slot(m, &slot, &slots[i]) != OM_OK)
            abort();
        om_expr value = om_expr_slot(m, slots[i]);
        om_assign up = { .slot = slots[i],
            .value = om_expr_binary(m, OM_OP_ADD, value, om_expr_const(m, 1)) };
        om_transition t = { .process = process,
            .partner = OM_NONE,
            .guard = om_expr_binary(m, OM_OP_LT, value, om_expr_const(m, TOP)),
            .assigns = &up,
            .assign_count = 1,
            .label = "up" };
        if (om_model_add_transition(m, &t, NULL) != OM_OK)
            abort();
    }
    om_expr x = om_expr_slot(m, slots[0]);
    add_property(m, "loud", om_expr_binary(m, OM_OP_EQ, x, om_expr_const(m, TOP)));
    add_property(m, "quiet", om_expr_binary(m, OM_OP_LT, x, om_expr_const(m, 0)));
    if (om_model_finish(m) != OM_OK)
        abort();
    return m;
}

int main(void)
{
    om_device *device = NULL;
    if (setenv("POCL_DEVICES", "basic basic", 1) != 0 || om_context_new(&ctx, NULL) != OM_OK ||
        om_registry_new(&registry, ctx) != OM_OK)
        return 1;
    devices = reference_device(ctx, &device);
    bool two = om_devices_count(devices) > 1;
    /* The known-answer tests are over before anything fails. */
    if (two && om_devices_pick(devices, ctx, "0,1", &device) != OM_OK)
        return 1;
    none_fails();
    spoil(devices);
    om_context_on_note(ctx, count_note, NULL);
    model = make_model();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exploring),
        cmocka_unit_test(checking),
        cmocka_unit_test(exploring_together),
    };
    int bad = _cmocka_run_group_tests("handover", tests, two ? 3 : 2, NULL, NULL);
    om_devices_close(devices);
    om_model_free(model);
    om_registry_free(registry);
    om_context_free(ctx);
    return bad;
}
