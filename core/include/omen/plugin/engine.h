/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: devices, and the exploration engine that runs on them. */
#ifndef OMEN_ENGINE_H
#define OMEN_ENGINE_H

#include <omen/plugin/check.h>
#include <omen/plugin/explore.h>

typedef struct om_device om_device;

/* The description of a device for `omen devices`. `reason` is NULL if the device can be used,
 * otherwise it says why not. */
typedef struct om_device_info {
    const char *name, *platform, *driver, *version;
    const char *kind;    /* "cpu", "gpu", "accelerator", "host" */
    const char *backend; /* what runs kernels on it: "opencl", "host" */
    uint32_t compute_units;
    uint64_t memory_bytes, largest_allocation;
    const char *reason;
    /* Work-items per work-group, and work-items that run at once; `tuned` if a long run has
     * measured the best values. */
    uint32_t work_group, work_items;
    bool tuned;
} om_device_info;

OM_API const om_device_info *om_device_info_of(const om_device *d);

/* ---- the exploration engine ---- */

/* What to explore. Everything is borrowed; the limits are those of the context. */
typedef struct om_engine_spec {
    size_t size; /* of this struct */
    om_device *device;
    om_model *model; /* finished; no open executor may change it */
    const om_expr *aps;
    uint32_t ap_count;
    const om_automaton *automaton; /* NULL: the model alone */
    bool stutter;
    bool faults_repeat;   /* as in om_product_spec */
    uint32_t deadlock_ap; /* or OM_NONE */
    /* One byte per automaton state, not 0 in the accepting part: the edges inside it are counted,
     * for om_engine_trim(). NULL: no edges are counted. */
    const uint8_t *accepting;
    /* om_engine_path() will not be called; saves memory. */
    bool no_paths;
    /* If not 0: paths may be dropped when the data kept for them exceeds this size, and are dropped
     * if that makes memory available. */
    size_t path_bytes;
    bool faults_end; /* any fault of the model ends the exploration, not only a failed assertion */
    /* Called now and then with the progress of the exploration; may be NULL. */
    void (*progress)(void *self, uint64_t states, uint64_t transitions, const om_levels *levels);
    void *progress_self;
    /* With `accepting`: om_engine_fixpoint() will be called. */
    bool fixpoint;
} om_engine_spec;

typedef struct om_engine om_engine;

/* Opens an engine for one exploration, with kernels built for the model and the automaton. Members
 * of the spec are borrowed for the engine's life. OM_EUNSUPPORTED if the device cannot run it. */
OM_API int om_engine_open(om_engine **out, om_context *ctx, const om_engine_spec *spec);
OM_API void om_engine_close(om_engine *e);

/*
 * Explores breadth-first; call once per engine. stop_at (may be NULL) has one byte per automaton
 * state: the exploration stops within the level in which a state with a non-zero byte is first
 * stored, and *hit is the number of such a state (OM_NO_ID: none). With spec.accepting and `hit`,
 * it also stops when it finds a cycle inside the accepting part: *hit is then on the cycle, and
 * trimming is not needed; not every such cycle is found this way. The two cannot be combined.
 *
 * *out has the figures so far, whatever the status: transitions are those of the model or, with an
 * automaton, pairs of a transition and a matching edge; deadlocks are stored states in which the
 * model has no transition. A state in which the model has a fault has no edges and is no deadlock.
 * out->fault, with its state and vector, is a fault nearest to the initial state, but a failed
 * assertion takes precedence. OM_OK; OM_ELIMIT; OM_EMODEL if out->fault ended the exploration;
 * OM_ESTOP; OM_EUNSUPPORTED if the device runs out of memory (use a CPU checker).
 */
OM_API int om_engine_explore(om_engine *e, const uint8_t *stop_at, om_id *hit, om_exploration *out);

/*
 * After a complete exploration with spec.accepting: repeatedly removes states of the accepting part
 * that have no predecessor left in it, until no such state remains. *rest is OM_NO_ID if the part
 * is then empty; otherwise it is on a cycle inside the accepting part, the state of that cycle with
 * the lowest number. *rounds (may be NULL) is for the report. OM_OK; OM_ELIMIT; OM_ESTOP;
 * OM_EUNSUPPORTED.
 */
OM_API int om_engine_trim(om_engine *e, om_id *rest, uint64_t *rounds);

/*
 * After a complete exploration with spec.accepting and spec.fixpoint and with `hit` NULL: searches
 * for a cycle that has all sets in `all` of the automaton, whose acceptance is generalized Buchi
 * (0: any cycle inside the accepting part). *rest is OM_NO_ID if there is none; otherwise it is on
 * a cycle and in an accepting component of the product. Call once per engine, and not together with
 * om_engine_trim(). *rounds (may be NULL), the number of expansions, is for the report. Cerna,
 * Pelanek 2003. OM_OK; OM_ELIMIT; OM_ESTOP; OM_ENOMEM; OM_EUNSUPPORTED.
 */
OM_API int om_engine_fixpoint(om_engine *e, om_marks all, om_id *rest, uint64_t *rounds);

/*
 * Checks a complete exploration that found nothing: the CPU's virtual machine expands `states` of
 * the stored states again (or all of them), chosen at random from those whose rows are available.
 * Each must be a state of the model and a successor of the state that it was found from, and all
 * its successors must be stored. *verified is the number of states checked, whatever the status.
 * (om_task_verify() may also return OM_VERIFY_AGAIN, which asks a program for more: the device
 * first repeats the search with other state numbers, and must arrive at the same figures and again
 * find nothing.) OM_EINTERNAL: the device is not reliable; OM_ELIMIT; OM_ESTOP; OM_ENOMEM;
 * OM_EUNSUPPORTED.
 */
OM_API int om_engine_verify(om_engine *e, uint64_t states, uint64_t *verified);

/* Returns true if om_engine_path() can be called. */
OM_API bool om_engine_has_paths(const om_engine *e);

/* Calls take() for each state on a path from an initial state to a stored one, both included, in
 * order. The vector is the product vector, valid during the call only. A status of take() other
 * than OM_OK ends the iteration and is returned. */
OM_API int om_engine_path(
    om_engine *e, om_id to, int (*take)(void *self, const uint32_t *vector), void *self);

#endif
