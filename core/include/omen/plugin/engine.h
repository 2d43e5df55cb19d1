/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: a device, and the exploration engine that runs on it. */
#ifndef OMEN_ENGINE_H
#define OMEN_ENGINE_H

#include <omen/plugin/check.h>
#include <omen/plugin/explore.h>

typedef struct om_device om_device;

/* What `omen devices` prints. `reason` is NULL for a device that may be used, else why not. */
typedef struct om_device_info {
    const char *name, *platform, *driver, *version;
    const char *kind;    /* "cpu", "gpu", "accelerator", "host" */
    const char *backend; /* who runs kernels there: "opencl", "host" */
    uint32_t compute_units;
    uint64_t memory_bytes, largest_allocation;
    const char *reason;
    /* Work-items of a work-group, and how many there are at once; `tuned` when a long run has tried
     * what is best. */
    uint32_t work_group, work_items;
    bool tuned;
} om_device_info;

OM_API const om_device_info *om_device_info_of(const om_device *d);

/* ---- the exploration engine ---- */

/* What to explore. Everything is borrowed; limits are those of the context. */
typedef struct om_engine_spec {
    size_t size; /* of this struct */
    om_device *device;
    om_model *model; /* finished; no executor that changes it */
    const om_expr *aps;
    uint32_t ap_count;
    const om_automaton *automaton; /* NULL: the model alone */
    bool stutter;
    bool faults_repeat;   /* as om_product_spec has it */
    uint32_t deadlock_ap; /* or OM_NONE */
    /* One byte per automaton state, not 0 in the accepting part: edges inside it are counted, for
     * om_engine_trim(). NULL: they are not. */
    const uint8_t *accepting;
    /* om_engine_path() will not be called: less memory. */
    bool no_paths;
    /* Or (not 0) paths may be forgotten when what is kept for them takes more than so many bytes;
     * they are where memory is to be had by that. */
    size_t path_bytes;
    bool faults_end; /* any fault of the model ends the exploration, not only a failed assertion */
    /* Told now and then how far the exploration is; may be NULL. */
    void (*progress)(void *self, uint64_t states, uint64_t transitions, const om_levels *levels);
    void *progress_self;
    /* With `accepting`: om_engine_fixpoint() will be called. */
    bool fixpoint;
} om_engine_spec;

typedef struct om_engine om_engine;

/* One engine for one exploration, with its kernels built for the model and the automaton. What the
 * spec names is borrowed for the engine's life. OM_EUNSUPPORTED where the device cannot do it. */
OM_API int om_engine_open(om_engine **out, om_context *ctx, const om_engine_spec *spec);
OM_API void om_engine_close(om_engine *e);

/*
 * Explores breadth-first, once per engine. stop_at (may be NULL) has one byte per automaton state:
 * exploration stops within the level in which a state with a non-zero byte is first stored, and
 * *hit is the number of one (OM_NO_ID: none). With spec.accepting and `hit` it stops, too, when it
 * comes upon a cycle inside the accepting part: *hit is on it, and there is nothing to trim; not
 * every such cycle is found that way. Not both at once. Figures so far are in *out whatever is
 * returned: transitions are the model's, or with an automaton the pairs of a transition and a
 * matching edge; deadlocks are stored states where the model has no transition. A state in which
 * the model goes wrong has no edges and is no deadlock: out->fault, with its state and the vector,
 * is that of one nearest to the initial state, but a failed assertion before others. OM_OK;
 * OM_ELIMIT; OM_EMODEL when out->fault ended the exploration; OM_ESTOP; OM_EUNSUPPORTED when the
 * device's memory is out (use a CPU checker).
 */
OM_API int om_engine_explore(om_engine *e, const uint8_t *stop_at, om_id *hit, om_exploration *out);

/*
 * After a complete exploration with spec.accepting: removes states of the accepting part that have
 * no predecessor left in it, until none is left to remove. *rest is OM_NO_ID when nothing stays;
 * else it lies on a cycle inside the accepting part, on that one's state with the least number.
 * rounds (may be NULL) is for the report. OM_OK; OM_ELIMIT; OM_ESTOP; OM_EUNSUPPORTED.
 */
OM_API int om_engine_trim(om_engine *e, om_id *rest, uint64_t *rounds);

/*
 * After a complete exploration with spec.accepting and spec.fixpoint, for which `hit` was NULL: is
 * there a cycle that sees all of these sets of the automaton, whose acceptance is generalized
 * Buchi? (0: any cycle inside the accepting part.) *rest is OM_NO_ID where there is none; else it
 * is in a component of the product that accepts, and on a cycle. Once per engine; not with
 * om_engine_trim(). rounds (may be NULL), how often something was expanded, is for the report.
 * Cerna, Pelanek 2003. OM_OK; OM_ELIMIT; OM_ESTOP; OM_ENOMEM; OM_EUNSUPPORTED.
 */
OM_API int om_engine_fixpoint(om_engine *e, om_marks all, om_id *rest, uint64_t *rounds);

/*
 * Behind a complete exploration that found nothing, before its engine is trusted: has the CPU's
 * virtual machine expand so many of the stored states, taken at random from those whose rows are
 * there, or all of them. Each must be a state of the model, follow from the one that it was found
 * from, and have no successor that is not stored. *verified is how many were looked at, whatever is
 * returned. (What om_task_verify() says may also stand for more, OM_VERIFY_AGAIN of a program: then
 * the device comes to the same figures, and to nothing, in a second search before that, for which
 * numbers of states change.) OM_EINTERNAL: the device is not to be relied on; OM_ELIMIT; OM_ESTOP;
 * OM_ENOMEM; OM_EUNSUPPORTED.
 */
OM_API int om_engine_verify(om_engine *e, uint64_t states, uint64_t *verified);

/* Can om_engine_path() be called? */
OM_API bool om_engine_has_paths(const om_engine *e);

/* The states on the way from an initial state to a stored one, both included, one after the other:
 * take() gets the product vector of each, for the call alone; what it returns, if not OM_OK, ends
 * it. */
OM_API int om_engine_path(
    om_engine *e, om_id to, int (*take)(void *self, const uint32_t *vector), void *self);

#endif
