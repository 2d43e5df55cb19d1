/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devices.h: enumerating devices and opening one.
 *
 * OpenCL is loaded with dlopen(): without it, programs still run.
 */
#ifndef OMEN_DEVICES_H
#define OMEN_DEVICES_H

#include <omen/plugin/engine.h>

typedef struct om_devices om_devices;

/*
 * Checks whether a GPU or an accelerator is likely to be available, without loading its drivers
 * into this process (a separate program loads them). OM_OK: worth trying; OM_EUNSUPPORTED, with the
 * reason in *why (a constant): not; OM_ELIMIT or OM_ESTOP, at once, if the context is stopped. No
 * message is recorded.
 */
OM_API int om_devices_promise(om_context *ctx, const char **why);

/*
 * Lists devices: those of OpenCL, or if `which` (as for om_devices_pick()) begins with "host" the
 * host alone, without a driver; if it is NULL, both, and then *why says why there are no OpenCL
 * devices. OM_EUNSUPPORTED, with the reason in *why (a constant, or owned by the context) and no
 * message recorded, if there is no OpenCL or no device; OM_EIO, likewise, if the system limits
 * threads or processes too much for its drivers; OM_ELIMIT or OM_ESTOP if the context is stopped
 * before the drivers have started in a separate program. Before that it may set POCL_CACHE_DIR in
 * the environment, so that pocl's files are in a folder to which no other user can write.
 */
OM_API int om_devices_open(om_devices **out, om_context *ctx, const char *which, const char **why);
/* Closes the devices. Waits for running builds whose result is no longer needed: a driver's
 * compiler cannot be interrupted, and the data it uses must stay valid. That can take seconds. Data
 * that a device that does not answer may still use is never freed. */
OM_API void om_devices_close(om_devices *d);
/* Returns true if om_devices_close() would wait, or if a device does not answer (libraries may wait
 * for it when the process exits). A program that is finished may then flush its output and call
 * _exit(). */
OM_API bool om_devices_busy(om_devices *d);
/*
 * Only for omen-build-opencl, the program that compiles kernels for this library: reads requests
 * from a socket, compiles, and writes the results, until no request arrives for a second. Returns
 * true if all requests were understood.
 */
OM_API bool om_devices_build_for(int socket);
OM_API size_t om_devices_count(const om_devices *d);
OM_API const om_device_info *om_devices_info(const om_devices *d, size_t i);

/*
 * Opens the device for "auto", "cpu", "gpu", "host", or a number as `omen devices` prints it.
 * "host" is the same kernels compiled as C and run by threads of this process: slow, and chosen
 * only by name. "host:ORDER:ITEMS:BATCH:SEED", or the first of these, sets the order in which
 * work-items run: "together", "forward", "backward", "shuffled", "traced", "lockstep32" or
 * "lockstep64", or "stuck" from the command with number SEED on. "all", or several "host" and
 * numbers separated by commas, is a group that engines use as one device: states are owned by hash,
 * and states that a device finds for another one go through the host's memory. (Weak and strong
 * parts, which need trimming, use only the first device of a group.) The device first runs the
 * known-answer test (once per device and process); a device that fails it is skipped with a note,
 * or refused if it was requested by number. OM_EUNSUPPORTED if none is left. Messages go to the
 * caller's context; if that is stopped, the test ends with OM_ELIMIT or OM_ESTOP and is repeated
 * the next time.
 */
OM_API int om_devices_pick(om_devices *d, om_context *ctx, const char *which, om_device **out);

/* A program for a device's compiler; valid during the call only. */
typedef struct om_program_text {
    const char *device;           /* name of the device */
    const char *kernels;          /* names of the kernels used, separated by spaces */
    const char *source, *options; /* in the syntax of a shell */
    /* For om_plan_*_texts(): "explore", or the strength of a part; otherwise NULL. */
    const char *what;
} om_program_text;

/*
 * Passes to take(), one after another, the programs that the compiler of spec->device gets when an
 * engine is opened for this spec (of each device of a group; NULL: of a GPU in general). Compiles
 * and computes nothing. OM_OK; a status of take() other than OM_OK, which ends the iteration, with
 * the message that take() recorded; the statuses of om_engine_open().
 */
OM_API int om_engine_texts(om_context *ctx, const om_engine_spec *spec,
    int (*take)(void *self, const om_program_text *text), void *self);

/* ---- cost of an exploration on a device ---- */

/* Accesses of kernels to global memory: sectors of 32 bytes, if caches keep them; atomics that may
 * change a value; and the sectors that loads and stores request, without caches. kernels/README.md
 * defines how they are counted. */
typedef struct om_traffic {
    uint64_t read, written, atomics, asked_read, asked_written;
} om_traffic;

enum { OM_COST_BUFFERS = 16, OM_COST_KERNELS = 16 };

/* Accesses of a kernel in all of its launches. */
typedef struct om_kernel_cost {
    const char *kernel; /* a constant of the library */
    uint64_t launches;
    /* By buffer, with the name in kernels/access.txt; "": not accessed. */
    struct {
        char name[16];
        om_traffic traffic;
    } buffers[OM_COST_BUFFERS];
} om_kernel_cost;

typedef struct om_device_costs {
    om_kernel_cost kernels[OM_COST_KERNELS];
    uint32_t count;      /* number of kernels; 0: the device does not count */
    uint64_t read_backs; /* as in om_device_figures */
} om_device_costs;

/* Returns the costs of an exploration that has ended, successfully or not, for all members of the
 * device that count ("host:traced"). Excludes the known-answer test. OM_OK, or OM_EUNSUPPORTED if
 * waiting for the device's commands fails. */
OM_API int om_engine_costs(om_engine *e, om_device_costs *out);

#endif
