/* SPDX-License-Identifier: Apache-2.0 */
/* The host as a back end: memory, in-order commands, barriers in work-groups, programs. */
#include "devices.h"
#include "heap.h"
#include "host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BYTES = 1 << 12, COMMANDS = 500 };

static om_context *ctx;
static om_devices *devices;
static om_device *device;

static void open_host(const om_heap *heap, om_context **c, om_devices **d)
{
    const char *why = NULL;
    assert_int_equal(om_context_new(c, heap), OM_OK);
    assert_int_equal(om_devices_open(d, *c, "host", &why), OM_OK);
    assert_int_equal(om_devices_count(*d), 1);
    assert_string_equal(om_devices_info(*d, 0)->kind, "host");
}

/* A time far in the future on the monotonic clock. */
static const uint64_t LATER = UINT64_MAX / 2;

/* A command reads what earlier commands wrote, however many are queued. The data of a read is
 * valid after its event completes. */
static void in_order(void **state)
{
    const om_backend *b = device->backend;
    unsigned char first[BYTES], last[BYTES] = { 0 }, early[COMMANDS][4];
    om_event *events[COMMANDS];
    int error = 0;
    (void) state;
    om_stream *s = b->stream_open(device, &error);
    assert_non_null(s);
    om_memory *m[2];
    for (size_t i = 0; i < 2; i++)
        assert_non_null(m[i] = b->take(device, &(om_memory_spec){ .bytes = BYTES }, &error));
    for (size_t i = 0; i < BYTES; i++)
        first[i] = (unsigned char) (i * 7 + 1);
    assert_int_equal(b->write(device, s, m[0], 0, first, BYTES), 0);
    for (size_t i = 0; i < COMMANDS; i++) { /* shifted by one byte each time, there and back */
        const om_copy copy = { m[i % 2], m[1 - i % 2], 0, 1, BYTES - 1 },
                      some = { .from = m[1 - i % 2], .from_at = i + 1, .bytes = 4 };
        assert_int_equal(b->copy(device, s, &copy), 0);
        assert_int_equal(b->read(device, s, &some, early[i], &events[i]), 0);
    }
    assert_int_equal(b->zero(device, s, m[0], 0, 64), 0);
    const om_copy all = { .from = m[0], .bytes = BYTES };
    assert_int_equal(b->read(device, s, &all, last, NULL), 0);
    for (size_t i = 0; i < COMMANDS; i++) {
        assert_int_equal(b->wait(device, s, events[i], LATER), 0);
        assert_memory_equal(early[i], first, 4);
    }
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(last[i], 0);
    assert_memory_equal(last + COMMANDS, first, BYTES - COMMANDS);
    for (size_t i = 0; i < 2; i++)
        b->give(device, s, m[i]);
    b->stream_close(device, s);
}

/* ---- kernels ---- */

/* Each work-group sums the contributions of its work-items, and its first work-item writes the
 * sum. It must wait for the others, and they wait for it before the next round. */
static const char SUMS[] = "typedef struct sums { om_u32 sum; } sums;\n"
                           "OM_KERNEL om_k_sums(om_u32 rounds, OM_GLOBAL om_u32 *to, om_u64 base)\n"
                           "{\n"
                           "    OM_SHARED(sums, mine)\n"
                           "    for (om_u32 r = 0; r < rounds; r++) {\n"
                           "        if (r != 0) OM_BARRIER;\n"
                           "        if (OM_LOCAL_ID == 0) mine->sum = (om_u32) base;\n"
                           "        OM_BARRIER;\n"
                           "        om_local_add32(&mine->sum, OM_ID + r);\n"
                           "        OM_BARRIER;\n"
                           "        if (OM_LOCAL_ID == 0)\n"
                           "            om_add32(&to[OM_ID / OM_LOCAL_IDS], mine->sum * FACTOR);\n"
                           "    }\n"
                           "}\n";
static const om_shape sums_shape[] = { { "om_k_sums", "umU" } };

/* Runs work-groups of this size, which may be smaller than the number of threads. */
static void meet_in_groups(uint32_t local)
{
    enum { GROUPS = 50, FACTOR = 3 };
    const om_backend *b = device->backend;
    const uint32_t rounds = 20;
    const uint64_t base = 1000;
    const om_recipe recipe = { .source = SUMS,
        .defines = { { "FACTOR", FACTOR } },
        .define_count = 1,
        .shapes = sums_shape,
        .count = 1 };
    om_built built = { 0 };
    uint32_t got[GROUPS];
    int error = 0;
    if (b->build(device, ctx, &recipe, &built) != OM_OK)
        fail_msg("%s", om_context_error(ctx));
    om_stream *s = b->stream_open(device, &error);
    om_memory *m = b->take(device, &(om_memory_spec){ .bytes = sizeof got }, &error);
    assert_true(s != NULL && m != NULL);
    const om_arg args[] = { { sizeof rounds, &rounds }, { sizeof m, &m }, { sizeof base, &base } };
    om_launch launch = { built.kernels[0], args, 3, (size_t) GROUPS * local, local };
    assert_int_equal(b->zero(device, s, m, 0, sizeof got), 0);
    assert_int_equal(b->launch(device, s, &launch), 0);
    const om_copy all = { .from = m, .bytes = sizeof got };
    assert_int_equal(b->read(device, s, &all, got, NULL), 0);
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t sum = 0;
        for (uint32_t r = 0; r < rounds; r++) {
            sum += (uint32_t) base;
            for (uint32_t i = 0; i < local; i++)
                sum += g * local + i + r;
        }
        assert_int_equal(got[g], sum * FACTOR);
    }
    launch.local = device->local + 1; /* exceeds the number of threads */
    launch.global = launch.local;
    error = b->launch(device, s, &launch);
    assert_int_not_equal(error, 0);
    assert_false(b->is_memory(error));
    assert_non_null(strstr(b->error_text(error), "too large"));
    b->give(device, s, m);
    b->stream_close(device, s);
    b->release(device, &built);
}

static void groups_meet(void **state)
{
    (void) state;
    assert_int_equal(device->local, 4);
    for (uint32_t local = 4; local > 0; local--)
        meet_in_groups(local);
}

/* ---- orders ---- */

/* Each work-item takes a number before a barrier and one after it. */
static const char NUMBERS[] =
    "OM_KERNEL om_k_numbers(OM_GLOBAL om_u32 *counter, OM_GLOBAL om_u32 *to, om_u32 astray)\n"
    "{\n"
    "    to[OM_ID] = om_add32(counter, 1u);\n"
    "    if (astray == 0 || OM_LOCAL_ID != 1)\n"
    "        OM_BARRIER;\n"
    "    to[OM_IDS + OM_ID] = om_add32(counter, 1u);\n"
    "}\n";
static const om_shape numbers_shape[] = { { "om_k_numbers", "mmu" } };
enum { SOME = 4, LOCAL = 6, ALL = SOME * LOCAL };

/* Stores the numbers that the work-items took on a device of this name. Returns the error of the
 * last read. */
static int take_numbers(const char *name, uint32_t astray, uint32_t *to)
{
    om_context *own = NULL;
    om_devices *all = NULL;
    om_device *d = NULL;
    const om_recipe recipe = { .source = NUMBERS, .shapes = numbers_shape, .count = 1 };
    om_built built = { 0 };
    int error = 0;
    open_host(NULL, &own, &all);
    if (om_devices_pick(all, own, name, &d) != OM_OK)
        fail_msg("%s", om_context_error(own));
    const om_backend *b = d->backend;
    assert_int_equal(d->local, LOCAL);
    assert_int_equal(b->build(d, own, &recipe, &built), OM_OK);
    om_stream *s = b->stream_open(d, &error);
    om_memory *counter = b->take(d, &(om_memory_spec){ .bytes = 4 }, &error),
              *numbers = b->take(d, &(om_memory_spec){ .bytes = 2 * ALL * sizeof *to }, &error);
    assert_true(s != NULL && counter != NULL && numbers != NULL);
    const om_arg args[] = { { sizeof counter, &counter }, { sizeof numbers, &numbers },
        { sizeof astray, &astray } };
    const om_launch launch = { built.kernels[0], args, 3, ALL, LOCAL };
    assert_int_equal(b->zero(d, s, counter, 0, 4), 0);
    assert_int_equal(b->launch(d, s, &launch), 0);
    const om_copy copy = { .from = numbers, .bytes = 2 * ALL * sizeof *to };
    error = b->read(d, s, &copy, to, NULL);
    om_event *event = NULL;
    assert_int_equal(b->mark(d, s, &event), 0);
    assert_int_equal(b->wait(d, s, event, LATER), error);
    if (error != 0)
        assert_non_null(strstr(b->error_text(error), "different barriers"));
    b->give(d, s, counter);
    b->give(d, s, numbers);
    b->stream_close(d, s);
    b->release(d, &built);
    om_devices_close(all);
    om_context_free(own);
    return error;
}

/* Each number occurs once. The numbers of a work-group are contiguous, and a barrier separates
 * their two halves. */
static void check_numbers(const uint32_t *to)
{
    bool seen[2 * ALL] = { false };
    for (uint32_t i = 0; i < 2 * ALL; i++) {
        uint32_t group = i % ALL / LOCAL;
        assert_true(to[i] < 2 * ALL && !seen[to[i]]);
        seen[to[i]] = true;
        assert_int_equal(to[i] / (2 * LOCAL), to[group * LOCAL] / (2 * LOCAL));
        assert_int_equal(to[i] % (2 * LOCAL) / LOCAL, i / ALL);
    }
}

static void orders(void **state)
{
    uint32_t forward[2 * ALL], backward[2 * ALL], one[2 * ALL], same[2 * ALL], other[2 * ALL];
    (void) state;
    assert_int_equal(take_numbers("host:forward:6", 0, forward), 0);
    assert_int_equal(take_numbers("host:backward:6:1", 0, backward), 0);
    for (uint32_t g = 0; g < SOME; g++)
        for (uint32_t i = 0; i < LOCAL; i++)
            for (uint32_t half = 0; half < 2; half++) {
                uint32_t at = half * ALL + g * LOCAL + i, first = g * 2 * LOCAL + half * LOCAL,
                         last = (SOME - 1 - g) * 2 * LOCAL + half * LOCAL;
                assert_int_equal(forward[at], first + i);
                assert_int_equal(backward[at], last + LOCAL - 1 - i);
            }
    assert_int_equal(take_numbers("host:shuffled:6:1:5", 0, one), 0);
    assert_int_equal(take_numbers("host:shuffled:6:1:5", 0, same), 0);
    assert_int_equal(take_numbers("host:shuffled:6:1:6", 0, other), 0);
    check_numbers(one);
    check_numbers(other);
    assert_memory_equal(one, same, sizeof one);
    assert_memory_not_equal(one, other, sizeof one);
    assert_memory_not_equal(one, forward, sizeof one);
}

/* One work-item of a group skips the barrier, or ends instead. */
static void barriers_in_divergent_code(void **state)
{
    static const char *const names[] = { "host:forward:6", "host:backward:6",
        "host:shuffled:6:2:3" };
    uint32_t to[2 * ALL];
    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(take_numbers(names[i], 1, to), OM_HOST_DIVERGED);
}

/* ---- traces of kernels named in kernels/access.txt ---- */

#ifndef OM_OWN_COMPILER

/* om_k_advance: control=rw. Launched in work-groups of 4 work-items. */
static const struct {
    const char *body, *wrong;
} traced[] = {
    { "control[OM_ID] = OM_ID;", NULL },
    { "control[OM_ID] = control[OM_ID] + 1;", NULL },
    { "control[0] = OM_ID;", "writes control, at byte 0, which another work-item writes" },
    { "if (OM_ID == 0) control[1] = 7; else control[OM_ID + 1] = control[1];",
        "control, at byte 4, which another work-item" },
    { "if (OM_ID == 5) control[1] = control[9]; else control[OM_ID + 9] = 1;",
        "control, at byte 36, which another work-item" },
    { "om_add32(&control[3], 1u);",
        "changes atomically control, at byte 12, which is not allowed" },
};
static const char ADVANCE[] = "OM_KERNEL om_k_advance(OM_GLOBAL om_u32 *control)";
static const om_shape advance_shape[] = { { "om_k_advance", "m" } };

/* The only error is that one work-item of a group skips a barrier. */
static const char astray[] = "";

/* om_k_reinsert: table=r index=a */
static const struct {
    const char *body, *wrong;
} traced_atomics[] = {
    { "om_add32(&index[table[0]], 1u); (void) om_set32(&index[1], 2u);", NULL },
    { "om_u64 seen = LOAD64((OM_GLOBAL om_u64 *) index);"
      "(void) om_cas64((OM_GLOBAL om_u64 *) index, seen, seen + 1);",
        NULL },
    { "om_add32(&index[2], index[1]);", "reads index, at byte 4, which is not allowed" },
    { "index[OM_ID] = 1;", "writes index, at byte" },
    { "om_add32((OM_GLOBAL om_u32 *) table, 1u);", "changes atomically table, at byte 0" },
    { "for (om_u32 i = 0; i < 500; i++) { om_add32(&index[i], 1u); if (OM_LOCAL_ID != 1) "
      "OM_BARRIER; }",
        astray },
};
static const char REINSERT[] =
    "OM_KERNEL om_k_reinsert(OM_GLOBAL const om_u32 *table, OM_GLOBAL om_u32 *index)";
static const om_shape reinsert_shape[] = { { "om_k_reinsert", "mm" } };

enum { TRACED_BYTES = 4096 };

/* The same for om_k_reinsert when only the first 256 bytes were written. */
static const struct {
    const char *body, *wrong;
} unwritten[] = {
    { "om_add32(&index[OM_ID], table[OM_ID]);", NULL },
    { "if (OM_ID == 3) om_add32(&index[0], table[64]);",
        "work-item 3 reads table, at byte 256, which was never written" },
    { "om_add32(&index[OM_ID], ((OM_GLOBAL const om_u8 *) table)[OM_ID + 217]);",
        "work-item 39 reads table, at byte 256, which was never written" },
    { "if (OM_ID == 2) om_add32(&index[64], table[0]);",
        "changes atomically index, at byte 256, which was never written" },
    { "if (OM_ID == 1) om_cas64((OM_GLOBAL om_u64 *) &index[64], 0, table[0]);",
        "changes atomically index, at byte 256, which was never written" },
    { "om_add32(&index[0], (om_u32) LOAD64((OM_GLOBAL om_u64 *) &index[100]));",
        "reads atomically index, at byte 400, which was never written" },
    { "om_set32(&index[64 + OM_ID], 1); om_add32(&index[64 + OM_ID], table[0]);", NULL },
};

/* Sums over all buffers. */
typedef struct counted {
    uint64_t launches;
    om_traffic all;
} counted;

static counted sum_of(const om_kernel_cost *k)
{
    counted c = { .launches = k->launches };
    for (size_t i = 0; i < OM_COST_BUFFERS; i++) {
        c.all.read += k->buffers[i].traffic.read;
        c.all.written += k->buffers[i].traffic.written;
        c.all.atomics += k->buffers[i].traffic.atomics;
        c.all.asked_read += k->buffers[i].traffic.asked_read;
        c.all.asked_written += k->buffers[i].traffic.asked_written;
    }
    return c;
}

/* Checks the error reported for a kernel that is launched twice on buffers of TRACED_BYTES, of
 * which `written` bytes are written first. `out`, unless NULL, gets the counts. */
static void run_traced_on(size_t written, const char *head, const char *body, const om_shape *shape,
    const char *wrong, om_kernel_cost *out)
{
    om_context *own = NULL;
    om_devices *all = NULL;
    om_device *d = NULL;
    char source[1024];
    const om_recipe recipe = { .source = source, .shapes = shape, .count = 1 };
    om_built built = { 0 };
    om_memory *m[2];
    uint32_t word;
    int error = 0;
    (void) snprintf(source, sizeof source, "%s { %s }\n", head, body);
    open_host(NULL, &own, &all);
    d = &all->items[0];
    assert_true(om_host__set(d, "traced:4:1:3", 12));
    const om_backend *b = d->backend;
    if (b->build(d, own, &recipe, &built) != OM_OK)
        fail_msg("%s", om_context_error(own));
    om_stream *s = b->stream_open(d, &error);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(m[i] = b->take(d, &(om_memory_spec){ .bytes = TRACED_BYTES }, &error));
    assert_int_equal(b->zero(d, s, m[0], 0, written), 0);
    const om_copy both = { .from = m[0], .to = m[1], .bytes = TRACED_BYTES };
    assert_int_equal(b->copy(d, s, &both), 0);
    const om_arg args[] = { { sizeof m[0], &m[0] }, { sizeof m[1], &m[1] } };
    const om_launch launch = { built.kernels[0], args, (uint32_t) strlen(shape->args), 40, 4 };
    for (int i = 0; i < 2; i++)
        assert_int_equal(b->launch(d, s, &launch), 0);
    const om_copy copy = { .from = m[0], .bytes = sizeof word };
    error = b->read(d, s, &copy, &word, NULL);
    assert_int_equal(error, wrong == NULL ? 0 : wrong == astray ? OM_HOST_DIVERGED : OM_HOST_WRONG);
    om_device_costs costs = { 0 };
    b->costs(d, s, &costs);
    assert_int_equal(costs.count, 1);
    for (size_t i = 0; i < 2; i++)
        b->give(d, s, m[i]);
    b->stream_close(d, s);
    b->release(d, &built);
    const om_host_setting *setting = d->own;
    if (wrong != NULL && strstr(setting->wrong, wrong) == NULL)
        fail_msg("'%s' of: %s", setting->wrong, body);
    assert_int_equal(setting->wrong[0] == '\0', wrong == NULL || wrong == astray);
    if (out != NULL)
        *out = costs.kernels[0];
    om_devices_close(all);
    om_context_free(own);
}

static void run_traced(const char *head, const char *body, const om_shape *shape, const char *wrong,
    om_kernel_cost *out)
{
    run_traced_on(TRACED_BYTES, head, body, shape, wrong, out);
}

/* Counts, on a device of this name, how many work-items of a group change a word that all of them
 * have read (`won`), and how many fail (`lost`). */
static void contend(const char *name, uint32_t local, uint64_t *won, uint64_t *lost)
{
    static const char body[] = "om_u64 seen = LOAD64(&index[0]);"
                               "om_u64 old = om_cas64(&index[0], seen, seen + 1);"
                               "if (old != seen) (void) om_add64(&index[1], 1 + table[0]);";
    om_context *own = NULL;
    om_devices *all = NULL;
    om_device *d = NULL;
    char source[512];
    const om_recipe recipe = { .source = source, .shapes = reinsert_shape, .count = 1 };
    om_built built = { 0 };
    om_memory *m[2];
    const uint64_t first[2] = { 0 };
    uint64_t words[2] = { 0 };
    int error = 0;
    (void) snprintf(source, sizeof source,
        "OM_KERNEL om_k_reinsert(OM_GLOBAL const om_u64 *table, OM_GLOBAL om_u64 *index) { %s }\n",
        body);
    open_host(NULL, &own, &all);
    d = &all->items[0];
    assert_true(om_host__set(d, name, strlen(name)));
    const om_backend *b = d->backend;
    assert_int_equal(d->local, local);
    assert_int_equal(b->build(d, own, &recipe, &built), OM_OK);
    om_stream *s = b->stream_open(d, &error);
    for (size_t i = 0; i < 2; i++) {
        assert_non_null(m[i] = b->take(d, &(om_memory_spec){ .bytes = sizeof words }, &error));
        assert_int_equal(b->write(d, s, m[i], 0, first, sizeof first), 0);
    }
    const om_arg args[] = { { sizeof m[0], &m[0] }, { sizeof m[1], &m[1] } };
    const om_launch launch = { built.kernels[0], args, 2, local, local };
    assert_int_equal(b->launch(d, s, &launch), 0);
    const om_copy copy = { .from = m[1], .bytes = sizeof words };
    assert_int_equal(b->read(d, s, &copy, words, NULL), 0);
    for (size_t i = 0; i < 2; i++)
        b->give(d, s, m[i]);
    b->stream_close(d, s);
    b->release(d, &built);
    om_devices_close(all);
    om_context_free(own);
    *won = words[0];
    *lost = words[1];
}

/* In lockstep, one work-item of each sub-group wins because all of them read first; otherwise all
 * win. */
static void sub_groups(void **state)
{
    static const struct {
        const char *name;
        uint32_t local, won;
    } cases[] = { { "traced:64:1:5", 64, 64 }, { "lockstep32:64:1:5", 64, 2 },
        { "lockstep64:64:1:5", 64, 1 }, { "lockstep32:256:1:5", 256, 8 },
        { "lockstep64:256:1:5", 256, 4 }, { "lockstep64:100", 100, 2 }, { "lockstep32:1", 1, 1 } };
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t won = 0, lost = 0;
        contend(cases[i].name, cases[i].local, &won, &lost);
        assert_int_equal(won, cases[i].won);
        assert_int_equal(lost, cases[i].local - cases[i].won);
    }
}

static void traces(void **state)
{
    om_kernel_cost k;
    (void) state;
    for (size_t i = 0; i < sizeof traced / sizeof *traced; i++)
        run_traced(ADVANCE, traced[i].body, advance_shape, traced[i].wrong, NULL);
    for (size_t i = 0; i < sizeof traced_atomics / sizeof *traced_atomics; i++)
        run_traced(REINSERT, traced_atomics[i].body, reinsert_shape, traced_atomics[i].wrong, NULL);
    for (size_t i = 0; i < sizeof unwritten / sizeof *unwritten; i++)
        run_traced_on(256, REINSERT, unwritten[i].body, reinsert_shape, unwritten[i].wrong, NULL);
    /* Memory that was never written. */
    run_traced_on(0, ADVANCE, "if (control[OM_ID + 8] == 0) control[OM_ID + 8] = 1;", advance_shape,
        "reads control, at byte", NULL);
    run_traced_on(0, ADVANCE, "control[OM_ID] = 1; control[OM_ID]++;", advance_shape, NULL, NULL);
    /* 40 work-items that each read and write a word: 128 bytes for a group of 32, and 32 bytes for
     * 8. */
    run_traced(ADVANCE, "control[OM_ID + 512] = control[OM_ID];", advance_shape, NULL, &k);
    assert_string_equal(k.kernel, "om_k_advance");
    counted c = sum_of(&k);
    assert_true(c.launches == 2 && c.all.read == 2 * 5 && c.all.written == 2 * 5);
    assert_true(c.all.asked_read == 2 * 5 && c.all.asked_written == 2 * 5 && c.all.atomics == 0);
    /* One sector each, far apart; one atomic each, on one word, from two groups of 32. */
    run_traced(REINSERT, "om_add32(&index[900], table[OM_ID * 16]);", reinsert_shape, NULL, &k);
    c = sum_of(&k);
    assert_true(c.all.read == 2 * (40 + 2) && c.all.written == 2 * 2 && c.all.atomics == 2 * 40);
    assert_string_equal(k.buffers[0].name, "table");
    assert_string_equal(k.buffers[1].name, "index");
    assert_true(k.buffers[0].traffic.read == 2 * 40 && k.buffers[0].traffic.atomics == 0);
    assert_true(c.all.asked_read == 2 * 40 && c.all.asked_written == 0);
    /* One sector three times: each group of 32 reads it once, and requests it three times. */
    run_traced(REINSERT,
        "for (om_u32 i = 0; i < 3; i++) om_add32(&index[900], table[OM_ID / 16 + i]);",
        reinsert_shape, NULL, &k);
    assert_true(k.buffers[0].traffic.read == 2 * 2 && k.buffers[0].traffic.asked_read == 2 * 2 * 3);
    /* Work-items that reach an instruction more often than others are alone there. */
    run_traced(REINSERT,
        "for (om_u32 i = 0; i <= OM_ID / 32; i++) om_add32(&index[900], table[i * 8 + 100]);",
        reinsert_shape, NULL, &k);
    assert_true(k.buffers[0].traffic.read == 2 * 3 && k.buffers[0].traffic.asked_read == 2 * 3);
}

/* If memory for a trace runs out, reading the results fails; counts are not silently too small. */
static void traces_without_memory(void **state)
{
    enum { BYTES_OF_ALL = 4096 };
    static const char source[] =
        "OM_KERNEL om_k_advance(OM_GLOBAL om_u32 *control) { control[OM_ID]++; }\n";
    const om_recipe recipe = { .source = source, .shapes = advance_shape, .count = 1 };
    size_t n = 0;
    (void) state;
    for (int error = 1; error != 0; n++) {
        test_heap heap;
        om_context *own = NULL;
        om_devices *all = NULL;
        om_built built = { 0 };
        uint32_t word;
        test_heap_init(&heap, SIZE_MAX);
        open_host(&heap.heap, &own, &all);
        om_device *d = &all->items[0];
        const om_backend *b = d->backend;
        assert_true(om_host__set(d, "traced:4:1:3", 12));
        assert_int_equal(b->build(d, own, &recipe, &built), OM_OK);
        om_stream *s = b->stream_open(d, &error);
        om_memory *m = b->take(d, &(om_memory_spec){ .bytes = BYTES_OF_ALL }, &error);
        assert_true(s != NULL && m != NULL);
        assert_int_equal(b->zero(d, s, m, 0, BYTES_OF_ALL), 0);
        const om_arg args[] = { { sizeof m, &m } };
        const om_launch launch = { built.kernels[0], args, 1, 40, 4 };
        heap.fail_at = heap.calls + n; /* allocations of the work-items, which run one at a time */
        assert_int_equal(b->launch(d, s, &launch), 0);
        const om_copy copy = { .from = m, .bytes = sizeof word };
        error = b->read(d, s, &copy, &word, NULL);
        heap.fail_at = SIZE_MAX;
        b->give(d, s, m);
        b->stream_close(d, s);
        b->release(d, &built);
        const om_host_setting *setting = d->own;
        if (error != 0) {
            assert_int_equal(error, OM_HOST_WRONG);
            assert_non_null(strstr(setting->wrong, "out of memory for the trace"));
        } else
            assert_int_equal(setting->wrong[0], 0);
        om_devices_close(all);
        om_context_free(own);
        assert_int_equal(heap.live, 0);
    }
    assert_true(n > 4); /* one table each for words, sectors, places and requested sectors */
}

#endif

static void names_of_hosts(void **state)
{
    static const char *const bad[] = { "host:", "host:sideways", "host:forward:", "host:forward:0",
        "host:forward:257", "host:forward:4:0", "host:forward:4:17",
        "host:forward:4:1:", "host:forward:4:1:4294967296", "host:forward:4:1:1:1",
        "host:forward:4x", "host:forward,1" };
    om_device *d = NULL;
    (void) state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(om_devices_pick(devices, ctx, bad[i], &d), OM_EUSAGE);
        om_context_clear(ctx);
    }
}

static void bad_source(void **state)
{
    const om_recipe recipe = {
        .source = "OM_KERNEL om_k_sums(om_u32 x) { nonsense; }\n", .shapes = sums_shape, .count = 1
    };
    om_built built = { 0 };
    (void) state;
    assert_int_equal(device->backend->build(device, ctx, &recipe, &built), OM_EUNSUPPORTED);
    assert_null(built.program);
    assert_non_null(strstr(om_context_error(ctx), "nonsense"));
    om_context_clear(ctx);
}

#ifndef OM_OWN_COMPILER /* the compiler is not searched for */

/* Without a compiler, the device is listed with the reason why it cannot be used. */
static void no_compiler(void **state)
{
    om_context *own = NULL;
    om_devices *d = NULL;
    om_device *got = NULL;
    const char *before = getenv("PATH");
    char *path = before == NULL ? NULL : strdup(before);
    (void) state;
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    open_host(NULL, &own, &d);
    assert_int_equal(setenv("PATH", path == NULL ? "" : path, 1), 0);
    free(path);
    assert_non_null(strstr(om_devices_info(d, 0)->reason, "not found"));
    assert_int_equal(om_devices_pick(d, own, "host", &got), OM_EUNSUPPORTED);
    assert_non_null(strstr(om_context_error(own), "not found"));
    om_devices_close(d);
    om_context_free(own);
}

#endif

/* The host is used only if it is named. */
static void only_by_name(void **state)
{
    om_device *d = NULL;
    (void) state;
    assert_int_equal(om_devices_pick(devices, ctx, "auto", &d), OM_EUNSUPPORTED);
    om_context_clear(ctx);
    assert_int_equal(om_devices_pick(devices, ctx, "all", &d), OM_EUNSUPPORTED);
    om_context_clear(ctx);
    assert_int_equal(om_devices_pick(devices, ctx, "cpu", &d), OM_EUNSUPPORTED);
    om_context_clear(ctx);
    assert_int_equal(om_devices_pick(devices, ctx, "hostess", &d), OM_EUSAGE);
    om_context_clear(ctx);
    assert_int_equal(om_devices_pick(devices, ctx, "host,1", &d), OM_EUSAGE);
    om_context_clear(ctx);
    assert_int_equal(om_devices_pick(devices, ctx, "host,host", &d), OM_OK);
    assert_int_equal(d->member_count, 2);
    assert_int_equal(om_devices_pick(devices, ctx, "host", &d), OM_OK);
    assert_ptr_equal(d, device);
}

/* ---- memory ---- */

static void every_allocation_may_fail(void **state)
{
    (void) state;
    for (size_t n = 0;; n++) {
        test_heap heap;
        om_context *own = NULL;
        om_devices *d = NULL;
        om_stream *s = NULL;
        om_memory *m = NULL;
        int error = 0;
        test_heap_init(&heap, SIZE_MAX);
        assert_int_equal(om_context_new(&own, &heap.heap), OM_OK);
        heap.fail_at = heap.calls + n;
        int rc = om_devices_open(&d, own, "host", NULL);
        if (rc == OM_OK) {
            om_device *there = &d->items[0];
            s = there->backend->stream_open(there, &error);
            if (s != NULL)
                m = there->backend->take(there, &(om_memory_spec){ .bytes = BYTES }, &error);
            if (m != NULL)
                there->backend->give(there, s, m);
            else
                assert_true(there->backend->is_memory(error));
            if (s != NULL)
                there->backend->stream_close(there, s);
        } else
            assert_int_equal(rc, OM_ENOMEM);
        om_devices_close(d);
        bool failed = heap.calls > heap.fail_at;
        om_context_free(own);
        assert_int_equal(heap.live, 0);
        if (!failed) {
            assert_non_null(m);
            assert_true(n > 8);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),
        cmocka_unit_test(groups_meet),
        cmocka_unit_test(orders),
        cmocka_unit_test(barriers_in_divergent_code),
        cmocka_unit_test(names_of_hosts),
#ifndef OM_OWN_COMPILER
        cmocka_unit_test(traces),
        cmocka_unit_test(traces_without_memory),
        cmocka_unit_test(sub_groups),
#endif
        cmocka_unit_test(bad_source),
#ifndef OM_OWN_COMPILER
        cmocka_unit_test(no_compiler),
#endif
        cmocka_unit_test(only_by_name),
        cmocka_unit_test(every_allocation_may_fail),
    };
    open_host(NULL, &ctx, &devices);
    device = &devices->items[0];
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    om_devices_close(devices);
    om_context_free(ctx);
    return failed;
}
