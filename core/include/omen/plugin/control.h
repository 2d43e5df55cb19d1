/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h: limits and the one channel by which work is stopped.
 *
 * Every context owns a control. Controls form a tree as their contexts do (om_context_new_below()):
 * a stop reaches all that is below at once, also what is made below afterwards, so none is lost
 * between one try and the next. Whoever works under a context asks it now and then, and ends when
 * it was stopped. All functions may be called by any thread, om_control_start() by one that nobody
 * works for at that moment. None may be called by a signal handler (wait for signals in a thread).
 */
#ifndef OMEN_CONTROL_H
#define OMEN_CONTROL_H

#include <omen/plugin/base.h>

/* Why work ended before its end. FOUND: a violation, or that somebody else knows the answer; the
 * others are limits or faults. */
typedef enum om_stop_reason {
    OM_STOP_NONE = 0,
    OM_STOP_FOUND,
    OM_STOP_MEMORY,
    OM_STOP_TIMEOUT,
    OM_STOP_STATES,
    OM_STOP_INTERRUPT,
    OM_STOP_ERROR,
    OM_STOP_BITSTATE /* no stop: a search ended that does not see everything: om_task_covered() */
} om_stop_reason;

/*
 * 0 is "no limit" for each. memory bounds the resident size of the whole process: stores and side
 * arrays, buffers of devices that are in this machine's memory, and what libraries and drivers take
 * (pocl's some 80 MB). Memory of a device's own is not counted, nor are other processes: compilers
 * of successors and of kernels.
 */
typedef struct om_limits {
    uint64_t memory_bytes, timeout_ns, max_states;
} om_limits;

/*
 * Begins anew, with all that is below, under these limits (copied; NULL: none): the clock starts,
 * earlier stops are forgotten, but not an interruption, and not that of a control above. What is
 * made below later has the same limits and the same end of time.
 */
OM_API void om_control_start(om_control *c, const om_limits *limits);
/* Forgets a stop of this one and of all below, an interruption too: what comes next is somebody
 * else's. */
OM_API void om_control_forget(om_control *c);
/* The limit on states; 0: there is none. For a search that does not store them in a product, which
 * stops the control itself then. */
OM_API uint64_t om_control_most_states(const om_control *c);
/* How long until the limit on time; UINT64_MAX: there is none. */
OM_API uint64_t om_control_left_ns(const om_control *c);

/* Stops this control and all below it. The first reason stands; returns whether it was this one. */
OM_API bool om_control_stop(om_control *c, om_stop_reason reason);
/* One relaxed load: cheap enough for every state. */
OM_API om_stop_reason om_control_stopped(const om_control *c);
OM_API const char *om_stop_reason_name(om_stop_reason reason); /* "memory", "time", "states", ... */

/* Resident bytes of this process now; 0 where the system does not say. */
OM_API uint64_t om_resident_bytes(void);

/* ---- a watcher ---- */

/*
 * A thread that looks at the clock and the resident size every 10 ms or so, stops what has passed
 * its limits, and calls `also` (may be NULL) after it. Work that has limits needs one. OM_ENOMEM;
 * OM_ELIMIT, with a message, where the system gives no more threads.
 */
typedef struct om_watcher om_watcher;
OM_API int om_watcher_start(
    om_watcher **out, om_context *ctx, void (*also)(void *self), void *self);
/* Returns when the last call of `also` has. NULL is fine. */
OM_API void om_watcher_stop(om_watcher *w);

#endif
