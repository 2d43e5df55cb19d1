/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h: limits, and the one mechanism by which work is stopped.
 *
 * Every context owns a control. Controls form the same tree as their contexts
 * (om_context_new_below()). A stop reaches all controls below at once, including those that are
 * created later, so a stop between two attempts is not lost. Work under a context polls its control
 * and ends when the control is stopped. Any thread may call these functions, except that no work
 * may run under the control during om_control_start(). None may be called by a signal handler (wait
 * for signals in a thread).
 */
#ifndef OMEN_CONTROL_H
#define OMEN_CONTROL_H

#include <omen/plugin/base.h>

/* Why work ended early. FOUND: a violation was found, or the answer is known elsewhere; the others
 * are limits or failures. */
typedef enum om_stop_reason {
    OM_STOP_NONE = 0,
    OM_STOP_FOUND,
    OM_STOP_MEMORY,
    OM_STOP_TIMEOUT,
    OM_STOP_STATES,
    OM_STOP_INTERRUPT,
    OM_STOP_ERROR,
    OM_STOP_BITSTATE /* not a stop: an incomplete search has ended; see om_task_covered() */
} om_stop_reason;

/*
 * 0 means "no limit" for each member. memory_bytes bounds the resident size of the whole process:
 * stores and side arrays, device buffers in main memory, and the memory of libraries and drivers
 * (about 80 MB for pocl). Memory on a device is not counted, nor are other processes, such as
 * compilers of successor functions and kernels.
 */
typedef struct om_limits {
    uint64_t memory_bytes, timeout_ns, max_states;
} om_limits;

/*
 * Starts the control and all below it with these limits (copied; NULL: none). The clock starts;
 * earlier stops are cleared, except an interruption and a stop of a control above. Controls that
 * are created below it later get the same limits and the same deadline.
 */
OM_API void om_control_start(om_control *c, const om_limits *limits);
/* Clears the stop of this control and of all below it, an interruption included: the next work is
 * unrelated to the work that was stopped. */
OM_API void om_control_forget(om_control *c);
/* Returns the limit on states; 0 means none. For a search that does not store its states in a
 * product and therefore has to stop the control itself. */
OM_API uint64_t om_control_most_states(const om_control *c);
/* Returns the time left until the time limit; UINT64_MAX if there is none. */
OM_API uint64_t om_control_left_ns(const om_control *c);

/* Stops this control and all below it. The first reason is kept; returns true if it is this one. */
OM_API bool om_control_stop(om_control *c, om_stop_reason reason);
/* Returns the reason of the stop, or OM_STOP_NONE. One relaxed load: cheap enough to call for every
 * state. */
OM_API om_stop_reason om_control_stopped(const om_control *c);
/* Returns "memory limit", "time limit", "state limit", ... */
OM_API const char *om_stop_reason_name(om_stop_reason reason);

/* Returns the resident size of this process in bytes; 0 if the system does not report it. */
OM_API uint64_t om_resident_bytes(void);

/* ---- a watcher ---- */

/*
 * A thread that checks the clock and the resident size about every 10 ms, stops controls that
 * exceed their limits, and then calls `also` (may be NULL). Time and memory limits are enforced
 * only while a watcher runs. OM_ENOMEM; OM_ELIMIT, with a message, if the system cannot start
 * another thread.
 */
typedef struct om_watcher om_watcher;
OM_API int om_watcher_start(
    om_watcher **out, om_context *ctx, void (*also)(void *self), void *self);
/* Stops the watcher, which may be NULL. Returns after the last call of `also` has returned. */
OM_API void om_watcher_stop(om_watcher *w);

#endif
