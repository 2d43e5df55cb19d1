/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h: the limits of a check, the one flag that stops everybody, and the figures that a
 * progress line shows. All functions may be called by any thread.
 */
#ifndef OMEN_CONTROL_H
#define OMEN_CONTROL_H

#include <omen/base.h>

typedef struct om_control om_control;

/* Why a check ended before its end. FOUND: a violation; the others are limits or faults. */
typedef enum om_stop_reason {
    OM_STOP_NONE = 0,
    OM_STOP_FOUND,
    OM_STOP_MEMORY,
    OM_STOP_TIMEOUT,
    OM_STOP_STATES,
    OM_STOP_INTERRUPT,
    OM_STOP_ERROR
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

/* limits are copied; NULL: none. The clock starts here. */
OM_API int om_control_new(om_control **out, om_context *ctx, const om_limits *limits);
OM_API void om_control_free(om_control *c);
OM_API const om_limits *om_control_limits(const om_control *c);

/* The first reason stands; returns whether it was this one. Async-signal-safe. */
OM_API bool om_control_stop(om_control *c, om_stop_reason reason);
/* One relaxed load: cheap enough for every state. */
OM_API om_stop_reason om_control_stopped(const om_control *c);
/* When that was, as om_clock_ns() counts; 0: not (or it is being written down). */
OM_API uint64_t om_control_stopped_ns(const om_control *c);
/* What a function that was stopped returns: OM_OK (not stopped, or no control), OM_ESTOP where
 * somebody else has the answer or the failure, else OM_ELIMIT. */
OM_API int om_control_status(const om_control *c);
OM_API const char *om_stop_reason_name(om_stop_reason reason); /* "memory", "time", "states", ... */

/* Looks at the clock and the resident size and stops where a limit is passed. A watcher calls it
 * every 10 ms or so; searches need not. */
OM_API void om_control_watch(om_control *c);

/* May `bytes` more be taken? Stops with OM_STOP_MEMORY when not. Ask before each large allocation.
 */
OM_API bool om_control_room(om_control *c, uint64_t bytes);

/* Resident bytes of this process now; 0 where the system does not say. */
OM_API uint64_t om_resident_bytes(void);
OM_API uint64_t om_resident_peak_bytes(void);

#endif
