/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices.h: finding devices and opening one.
 *
 * OpenCL is opened with dlopen(): a program that finds none runs without it.
 */
#ifndef OMEN_DEVICES_H
#define OMEN_DEVICES_H

#include <omen/plugin/engine.h>

typedef struct om_devices om_devices;

/*
 * Is a GPU or an accelerator here, as far as can be told without loading its drivers into this
 * process (a program of its own does)? OM_OK: it is worth trying; OM_EUNSUPPORTED, with the reason
 * in *why (a constant): it is not; OM_ELIMIT or OM_ESTOP, at once, when the context is stopped. No
 * message is recorded.
 */
OM_API int om_devices_promise(om_context *ctx, const char **why);

/*
 * Lists devices: those of OpenCL, or where `which` (as om_devices_pick() takes it) begins with
 * "host" the host alone, without a driver; where it is NULL, both, and *why then says why there are
 * none of OpenCL. OM_EUNSUPPORTED, with the reason in *why (a constant or the context's), and no
 * message recorded, where there is no OpenCL or no device; OM_EIO, likewise, where the system gives
 * too few threads or processes for its drivers; OM_ELIMIT or OM_ESTOP when the context is stopped
 * before the drivers have started in a program of their own. Before that POCL_CACHE_DIR may be set
 * in the environment: pocl's files go where no other user can put any.
 */
OM_API int om_devices_open(om_devices **out, om_context *ctx, const char *which, const char **why);
/* Waits for programs that are still being built although nobody waits for them any more: a driver's
 * compiler cannot be interrupted, and what it uses must stay. That can take seconds. What a device
 * that does not answer may still work with is never freed. */
OM_API void om_devices_close(om_devices *d);
/* Would om_devices_close() wait, or has a device not answered (for which libraries may wait as the
 * process ends)? A program that has nothing left to do may then flush its output and _exit(). */
OM_API bool om_devices_busy(om_devices *d);
/*
 * For omen-build-opencl, the program that compiles kernels for this library, and nobody else: reads
 * what to compile from a socket, compiles it and writes what came of it, until it is asked no more
 * for a second. True: all was understood.
 */
OM_API bool om_devices_build_for(int socket);
OM_API size_t om_devices_count(const om_devices *d);
OM_API const om_device_info *om_devices_info(const om_devices *d, size_t i);

/*
 * The device for "auto", "cpu", "gpu", "host" (the same kernels compiled as C, by threads of this
 * process: slow, and never picked but by name; "host:ORDER:ITEMS:BATCH:SEED", or the first of
 * these, says in which order work-items run, "together", "forward", "backward", "shuffled",
 * "traced", "lockstep32" or "lockstep64", or that they are "stuck" from the command of number SEED
 * on) or a number as `omen devices` prints it. For "all", or several of the latter two with commas
 * between them, a group that engines use as one device: states are owned by hash, and what one
 * finds of another's goes through the host's memory. (Weak and strong parts, which are trimmed,
 * take the first of a group alone.) Runs the known-answer test on it first (once per device and
 * process); one that fails is skipped with a note, or refused when it was asked for by number.
 * OM_EUNSUPPORTED where none is left. Messages go to the context, which is the caller's; a stop of
 * it ends the test: OM_ELIMIT or OM_ESTOP, and the test is due again.
 */
OM_API int om_devices_pick(om_devices *d, om_context *ctx, const char *which, om_device **out);

/* A program that a device's compiler is handed; all for a call alone. */
typedef struct om_program_text {
    const char *device;           /* its name */
    const char *kernels;          /* that are used of it: their names, with spaces between */
    const char *source, *options; /* as a shell would take them */
    const char *what; /* of om_plan_*_texts(): "explore", or the strength of a part; else NULL */
} om_program_text;

/*
 * What the compiler of spec->device (of each, where that is a group; NULL: of a GPU, whichever it
 * is) is handed when an engine is opened for this: take() gets one program after the other. Nothing
 * is compiled or computed. OM_OK; what take() returned, if not OM_OK, which ends it, with the
 * message that it recorded; statuses of om_engine_open().
 */
OM_API int om_engine_texts(om_context *ctx, const om_engine_spec *spec,
    int (*take)(void *self, const om_program_text *text), void *self);

/* ---- what an exploration costs a device ---- */

/* What kernels did to global memory: sectors of 32 bytes, if some cache keeps them; atomics that
 * may change something; and the sectors that loads and stores ask for, if none does.
 * kernels/README.md has what is counted as one. */
typedef struct om_traffic {
    uint64_t read, written, atomics, asked_read, asked_written;
} om_traffic;

enum { OM_COST_BUFFERS = 16, OM_COST_KERNELS = 16 };

/* What a kernel did in all of its launches. */
typedef struct om_kernel_cost {
    const char *kernel; /* a constant of the library */
    uint64_t launches;
    /* By buffer, as kernels/access.txt calls it; "": it has not touched that one. */
    struct {
        char name[16];
        om_traffic traffic;
    } buffers[OM_COST_BUFFERS];
} om_kernel_cost;

typedef struct om_device_costs {
    om_kernel_cost kernels[OM_COST_KERNELS];
    uint32_t count;      /* of kernels; 0: the device does not count */
    uint64_t read_backs; /* as om_device_figures has them */
} om_device_costs;

/* What an exploration that has ended, in whatever way, made of the device: of all of its members,
 * where they count ("host:traced"). The known-answer test is not in it. OM_OK, or why its
 * commands cannot be waited for: OM_EUNSUPPORTED. */
OM_API int om_engine_costs(om_engine *e, om_device_costs *out);

#endif
