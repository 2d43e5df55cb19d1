/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits and the stop flag. Concurrency: every function may be called by any thread. The flag is
 * one atomic word that goes from NONE to its first reason and never back; it carries no data, so
 * all its accesses are relaxed (whoever reads evidence synchronises on the evidence).
 */
#include <omen/control.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct om_control {
    const om_heap *heap;
    om_limits limits;
    uint64_t start_ns;
    atomic_int reason;
    atomic_uint_least64_t stopped_ns; /* for the report: relaxed, and set behind `reason` */
};

int om_control_new(om_control **out, om_context *ctx, const om_limits *limits)
{
    om_control *c = om_alloc(om_context_heap(ctx), 1, sizeof *c);
    if (c == NULL)
        return om_fail_memory(ctx);
    c->heap = om_context_heap(ctx);
    if (limits != NULL)
        c->limits = *limits;
    c->start_ns = om_clock_ns();
    atomic_init(&c->reason, OM_STOP_NONE);
    atomic_init(&c->stopped_ns, 0);
    *out = c;
    return OM_OK;
}

void om_control_free(om_control *c)
{
    if (c != NULL)
        om_free(c->heap, c);
}

const om_limits *om_control_limits(const om_control *c)
{
    return &c->limits;
}

bool om_control_stop(om_control *c, om_stop_reason reason)
{
    int none = OM_STOP_NONE;
    if (!atomic_compare_exchange_strong_explicit(
            &c->reason, &none, (int) reason, memory_order_relaxed, memory_order_relaxed))
        return false;
    atomic_store_explicit(&c->stopped_ns, om_clock_ns(), memory_order_relaxed);
    return true;
}

uint64_t om_control_stopped_ns(const om_control *c)
{
    return atomic_load_explicit(&c->stopped_ns, memory_order_relaxed);
}

om_stop_reason om_control_stopped(const om_control *c)
{
    return (om_stop_reason) atomic_load_explicit(&c->reason, memory_order_relaxed);
}

int om_control_status(const om_control *c)
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
    }
    return "none";
}

void om_control_watch(om_control *c)
{
    if (c->limits.timeout_ns != 0 && om_clock_ns() - c->start_ns >= c->limits.timeout_ns)
        (void) om_control_stop(c, OM_STOP_TIMEOUT);
    (void) om_control_room(c, 0);
}

bool om_control_room(om_control *c, uint64_t bytes)
{
    uint64_t limit = c->limits.memory_bytes;
    if (limit == 0)
        return true;
    uint64_t now = om_resident_bytes();
    if (now <= limit && bytes <= limit - now)
        return true;
    (void) om_control_stop(c, OM_STOP_MEMORY);
    return false;
}

/* The number behind `key` in a file of "key: number kB" lines, in bytes. */
static uint64_t status_line(const char *key)
{
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        (void) close(fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    const char *line = strstr(text, key);
    return line == NULL ? 0 : strtoull(line + strlen(key), NULL, 10) * 1024u;
}

uint64_t om_resident_bytes(void)
{
    return status_line("VmRSS:");
}

uint64_t om_resident_peak_bytes(void)
{
    return status_line("VmHWM:");
}
