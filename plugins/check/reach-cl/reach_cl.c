/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach-cl: breadth-first search on an OpenCL device, for terminal automata; Renault et al. 2017,
 * section 4.2, over the exploration engine of device.h.
 *
 * The automaton can stay in a terminal component whatever the model does, so where every run of the
 * model is infinite, a stored state of such a component is the violation. The engine finds one of
 * the nearest, and the evidence is a shortest path to it.
 */
#include <omen/device.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    uint8_t *stop_at;                    /* per automaton state: is it in a terminal component? */
    uint64_t states, transitions, bytes; /* what the task was told so far */
};

/* Tells the task what came since it was last told. */
static void tell(om_run *r, uint64_t states, uint64_t transitions, uint64_t bytes)
{
    om_task_add_counts(r->task, states - r->states, transitions - r->transitions, bytes - r->bytes);
    r->states = states;
    r->transitions = transitions;
    r->bytes = bytes;
}

static void progress(void *self, uint64_t states, uint64_t transitions)
{
    om_run *r = self;
    tell(r, states, transitions, r->bytes);
}

/* Hands over a shortest path to a state that was hit. */
static int report(om_run *r, om_engine *e, om_id hit)
{
    uint32_t *vectors = NULL;
    size_t n = 0;
    int rc = om_engine_path(e, hit, &vectors, &n);
    if (rc == OM_OK)
        rc = om_task_found_vectors(r->task, vectors, n);
    om_free(r->heap, vectors);
    return rc;
}

static int search(om_run *r, om_engine *e)
{
    om_exploration x;
    om_id hit = OM_NO_ID;
    int rc = om_engine_explore(e, r->stop_at, &hit, &x);
    tell(r, x.states, x.transitions, x.memory_bytes);
    if (rc == OM_EMODEL)
        rc = om_task_fault(r->task, x.fault, x.fault_vector);
    om_free(r->heap, x.fault_vector);
    return rc == OM_OK && hit != OM_NO_ID ? report(r, e, hit) : rc;
}

static int work(om_run *run, unsigned worker)
{
    om_task *task = run->task;
    const om_product_spec *product = om_product_spec_of(om_task_product(task));
    om_engine_spec spec = { .device = om_task_device(task),
        .automaton = product->automaton,
        .stutter = product->stutter,
        .deadlock_ap = product->deadlock_ap,
        .control = om_task_control(task),
        .progress = progress,
        .progress_self = run };
    om_engine *e = NULL;
    if (worker != 0)
        return OM_ESTOP;
    spec.model = om_task_model(task, &spec.aps, &spec.ap_count);
    int rc = om_engine_open(&e, om_task_context(task), &spec);
    if (rc == OM_OK)
        rc = search(run, e);
    om_engine_close(e);
    return rc;
}

static void destroy(om_run *run)
{
    if (run == NULL)
        return;
    om_free(run->heap, run->stop_at);
    om_free(run->heap, run);
}

static int create(om_run **out, om_task *task, const int64_t *options)
{
    const om_automaton *a = om_product_spec_of(om_task_product(task))->automaton;
    uint32_t states = om_automaton_state_count(a);
    (void) options;
    om_run *run = om_alloc(om_task_heap(task), 1, sizeof *run);
    if (run == NULL)
        return om_fail_memory(om_task_context(task));
    run->heap = om_task_heap(task);
    run->task = task;
    if ((run->stop_at = om_alloc(run->heap, states, 1)) == NULL) {
        destroy(run);
        return om_fail_memory(om_task_context(task));
    }
    for (uint32_t q = 0; q < states; q++)
        run->stop_at[q] = om_task_accepting(task, q, OM_TERMINAL);
    *out = run;
    return OM_OK;
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "reach-cl",
        "search on an OpenCL device for a state in a terminal component",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", options),
    .strengths = OM_FOR_TERMINAL,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_DEVICE | OM_CHECKER_NEEDS_STUTTER,
    .create = create,
    .work = work,
    .destroy = destroy,
};
