/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits and stop flags. A flag is one atomic word that changes from NONE to its first reason and,
 * except in om_control_start() and om_control_forget(), never back. It guards no data, so all loads
 * are relaxed (readers of evidence synchronise on the evidence). It changes under the lock of the
 * tree.
 *
 * C1  A stop of a control stops all controls below it, including those opened later: stop_below()
 *     and om_control__open() hold the same lock. C2  An interruption by the user outlives
 *     om_control_start(); any other reason ends with the work that it stopped. C3  If memory runs
 *     out, one control of the tree is stopped, the one that has taken most, and no second one until
 *     the first has released its memory or LEAVING_NS have passed. Parts that run concurrently
 *     therefore do not all end because one of them grew.
 *
 * Memory is the resident size of the process as reported by the system: a count of the library's
 * own heap would miss drivers and compiler libraries, and would include memory that was never
 * touched.
 */
#include "control_impl.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Time that a stopped control has to release its memory before another one is stopped. */
#define LEAVING_NS UINT64_C(3000000000)
enum { NAP_NS = 1000 * 1000 };

/* relaxed, all: figures that publish no other data. */
static uint64_t get(const atomic_uint_least64_t *figure)
{
    return atomic_load_explicit(figure, memory_order_relaxed);
}

static void set(atomic_uint_least64_t *figure, uint64_t value)
{
    atomic_store_explicit(figure, value, memory_order_relaxed);
}

static void lock_tree(const om_control *c)
{
    pthread_mutex_lock(&c->root->lock);
}

static void unlock_tree(const om_control *c)
{
    pthread_mutex_unlock(&c->root->lock);
}

bool om_control__open(om_control *c, om_control *parent)
{
    *c = (om_control){ .parent = parent, .root = parent == NULL ? c : parent->root };
    if (parent == NULL)
        return pthread_mutex_init(&c->lock, NULL) == 0;
    lock_tree(c);
    c->limits = parent->limits;
    set(&c->deadline_ns, get(&parent->deadline_ns));
    set(&c->memory, get(&parent->memory));
    set(&c->stopped_ns, get(&parent->stopped_ns));
    atomic_store_explicit(&c->reason, (int) om_control_stopped(parent), memory_order_relaxed);
    c->next_sibling = parent->first_child;
    parent->first_child = c;
    unlock_tree(c);
    return true;
}

void om_control__close(om_control *c)
{
    assert(c->first_child == NULL);
    if (c->parent == NULL) {
        pthread_mutex_destroy(&c->lock);
        return;
    }
    lock_tree(c);
    om_control **at = &c->parent->first_child;
    while (*at != c) {
        at = &(*at)->next_sibling;
        assert(*at != NULL); /* C1 */
    }
    *at = c->next_sibling;
    unlock_tree(c);
}

/* ---- stopping ---- */

/* The caller holds the lock. */
static bool stop_below(om_control *c, om_stop_reason reason, uint64_t now)
{
    assert(reason != OM_STOP_NONE);
    bool first = om_control_stopped(c) == OM_STOP_NONE;
    if (first) {
        atomic_store_explicit(&c->reason, (int) reason, memory_order_relaxed);
        set(&c->stopped_ns, now);
        if (c->turn != NULL)
            om_turn__wake(c->turn); /* U3 */
    }
    for (om_control *k = c->first_child; k != NULL; k = k->next_sibling)
        (void) stop_below(k, reason, now);
    assert(om_control_stopped(c) != OM_STOP_NONE); /* C1 */
    return first;
}

bool om_control_stop(om_control *c, om_stop_reason reason)
{
    lock_tree(c);
    bool first = stop_below(c, reason, om_clock_ns());
    unlock_tree(c);
    return first;
}

void om_control__take_turn(om_control *c, om_turn *turn)
{
    lock_tree(c);
    c->turn = turn;
    unlock_tree(c);
}

om_turn *om_control__turn(const om_control *c)
{
    return c->turn;
}

/* The caller holds the lock. */
static void clear_stop(om_control *c)
{
    atomic_store_explicit(&c->reason, OM_STOP_NONE, memory_order_relaxed);
    set(&c->stopped_ns, 0);
}

/* The caller holds the lock. */
static void begin_below(om_control *c, const om_limits *limits, uint64_t deadline_ns)
{
    c->limits = *limits;
    set(&c->memory, limits->memory_bytes);
    set(&c->deadline_ns, deadline_ns);
    if (om_control_stopped(c) != OM_STOP_INTERRUPT)
        clear_stop(c);
    for (om_control *k = c->first_child; k != NULL; k = k->next_sibling)
        begin_below(k, limits, deadline_ns);
}

/* The caller holds the lock. */
static void clear_below(om_control *c)
{
    clear_stop(c);
    for (om_control *k = c->first_child; k != NULL; k = k->next_sibling)
        clear_below(k);
}

void om_control_forget(om_control *c)
{
    lock_tree(c);
    clear_below(c);
    unlock_tree(c);
}

void om_control_start(om_control *c, const om_limits *limits)
{
    static const om_limits none = { 0 };
    uint64_t now = om_clock_ns();
    if (limits == NULL)
        limits = &none;
    lock_tree(c);
    begin_below(c, limits, limits->timeout_ns == 0 ? 0 : now + limits->timeout_ns);
    /* A stop of the parent, or an interruption that remains, applies to all controls below. */
    if (c->parent != NULL && om_control_stopped(c->parent) != OM_STOP_NONE)
        (void) stop_below(c, om_control_stopped(c->parent), now);
    else if (om_control_stopped(c) != OM_STOP_NONE)
        (void) stop_below(c, om_control_stopped(c), now);
    unlock_tree(c);
}

uint64_t om_control_most_states(const om_control *c)
{
    return c->limits.max_states;
}

const om_limits *om_control__limits(const om_control *c)
{
    return &c->limits;
}

void om_control__limit_memory(om_control *c, uint64_t bytes)
{
    c->limits.memory_bytes = bytes;
    set(&c->memory, bytes);
}

void om_control__unlimit_states(om_control *c)
{
    c->limits.max_states = 0;
}

uint64_t om_control_left_ns(const om_control *c)
{
    uint64_t now = om_clock_ns(), end = get(&c->deadline_ns);
    return end == 0 ? UINT64_MAX : end > now ? end - now : 0;
}

uint64_t om_control__stopped_ns(const om_control *c)
{
    return get(&c->stopped_ns);
}

om_stop_reason om_control_stopped(const om_control *c)
{
    return (om_stop_reason) atomic_load_explicit(&c->reason, memory_order_relaxed);
}

int om_control__status(const om_control *c)
{
    switch (c == NULL ? OM_STOP_NONE : om_control_stopped(c)) {
    case OM_STOP_NONE:
        return OM_OK;
    case OM_STOP_FOUND:
    case OM_STOP_ERROR:
        return OM_ESTOP;
    default:
        return OM_ELIMIT;
    }
}

const char *om_stop_reason_name(om_stop_reason reason)
{
    switch (reason) {
    case OM_STOP_NONE:
        return "none";
    case OM_STOP_FOUND:
        return "found";
    case OM_STOP_MEMORY:
        return "memory limit";
    case OM_STOP_TIMEOUT:
        return "time limit";
    case OM_STOP_STATES:
        return "state limit";
    case OM_STOP_INTERRUPT:
        return "interrupted";
    case OM_STOP_ERROR:
        return "error";
    case OM_STOP_BITSTATE:
        return "bitstate";
    }
    return "none";
}

/* ---- memory ---- */

/* Among this control and those below it: finds the running one that has taken most, and whether one
 * stopped for memory has not released it yet. The caller holds the lock. */
static void survey(om_control *c, uint64_t now, om_control **most, bool *leaving)
{
    uint64_t taken = get(&c->taken);
    om_stop_reason reason = om_control_stopped(c);
    if (reason == OM_STOP_NONE && taken != 0 && (*most == NULL || taken > get(&(*most)->taken)))
        *most = c;
    if (reason == OM_STOP_MEMORY && taken != 0 && now - om_control__stopped_ns(c) < LEAVING_NS)
        *leaving = true;
    for (om_control *k = c->first_child; k != NULL; k = k->next_sibling)
        survey(k, now, most, leaving);
}

/* Memory has run out, which `c` has noticed: stops a control unless one is still releasing
 * memory. */
static void stop_largest(om_control *c)
{
    uint64_t now = om_clock_ns();
    om_control *most = NULL;
    bool leaving = false;
    lock_tree(c);
    survey(c->root, now, &most, &leaving);
    if (!leaving)
        (void) stop_below(
            most == NULL || get(&most->taken) <= get(&c->taken) ? c : most, OM_STOP_MEMORY, now);
    unlock_tree(c);
}

static bool fits(const om_control *c, uint64_t bytes)
{
    uint64_t limit = get(&c->memory), now = limit == 0 ? 0 : om_resident_bytes();
    return limit == 0 || (now <= limit && bytes <= limit - now);
}

bool om_control__allows(om_control *c, uint64_t bytes)
{
    return om_control__allows_soon(c, bytes, bytes);
}

bool om_control__allows_soon(om_control *c, uint64_t soon, uint64_t bytes)
{
    const struct timespec nap = { 0, NAP_NS };
    while (!fits(c, soon)) {
        stop_largest(c);
        if (om_control_stopped(c) != OM_STOP_NONE)
            return false;
        (void) nanosleep(&nap, NULL);
    }
    if (get(&c->memory) != 0)
        (void) atomic_fetch_add_explicit(&c->taken, bytes, memory_order_relaxed);
    return true;
}

void om_control__returned(om_control *c)
{
    set(&c->taken, 0);
}

void om_control__watch(om_control *c)
{
    if (om_control_left_ns(c) == 0)
        (void) om_control_stop(c, OM_STOP_TIMEOUT);
    if (!fits(c, 0))
        stop_largest(c);
}

/* ---- figures of the system ---- */

/* Reads a file of /proc as text; returns false if that fails. */
static bool read_proc(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    if (fd >= 0)
        (void) close(fd);
    text[n <= 0 ? 0 : n] = '\0';
    return n > 0;
}

uint64_t om_resident_bytes(void)
{
    char text[128], *resident;
    if (!read_proc("/proc/self/statm", text, sizeof text))
        return 0;
    (void) strtoull(text, &resident, 10); /* size of the whole address space */
    return strtoull(resident, NULL, 10) * (uint64_t) sysconf(_SC_PAGESIZE);
}

uint64_t om_resident__peak_bytes(void)
{
    char text[4096];
    const char *line =
        read_proc("/proc/self/status", text, sizeof text) ? strstr(text, "VmHWM:") : NULL;
    return line == NULL ? 0 : strtoull(line + strlen("VmHWM:"), NULL, 10) * 1024u;
}
