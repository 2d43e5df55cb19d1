/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weak-cl: trimming on an OpenCL device, for weak automata, over the exploration engine of
 * device.h; the one-way-catch-them-young idea of Cerna and Pelanek 2003, which for weak automata is
 * a single elimination (Renault et al. 2017, section 4.2, on why weak parts need no more).
 *
 * In a weak automaton each cycle of an accepting component accepts. A cycle of the product projects
 * to a cycle of the automaton, so the product accepts something exactly where the states whose
 * automaton part is in an accepting component have a cycle among themselves. The engine counts
 * their in-degrees while it explores, and removes states of in-degree zero until none is left; what
 * stays has a cycle. That holds for terminal automata too (they are weak), and whether finite runs
 * stutter or end: a run that ends is on no cycle.
 *
 * The evidence is a path to a state that lies on a cycle: see om_engine_trim().
 */
#include <omen/device.h>

struct om_run {
    const om_heap *heap;
    om_task *task;
    uint8_t *accepting;                  /* per automaton state: is it in an accepting component? */
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

/* Hands over a path to a state on an accepting cycle. */
static int report(om_run *r, om_engine *e, om_id on_cycle)
{
    uint32_t *vectors = NULL;
    size_t n = 0;
    int rc = om_engine_path(e, on_cycle, &vectors, &n);
    if (rc == OM_OK)
        rc = om_task_found_vectors(r->task, vectors, n);
    om_free(r->heap, vectors);
    return rc;
}

static int search(om_run *r, om_engine *e)
{
    om_exploration x;
    om_id rest = OM_NO_ID;
    int rc = om_engine_explore(e, NULL, NULL, &x);
    tell(r, x.states, x.transitions, x.memory_bytes);
    if (rc == OM_EMODEL)
        rc = om_task_fault(r->task, x.fault, x.fault_vector);
    om_free(r->heap, x.fault_vector);
    if (rc == OM_OK)
        rc = om_engine_trim(e, &rest, NULL);
    return rc == OM_OK && rest != OM_NO_ID ? report(r, e, rest) : rc;
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
        .accepting = run->accepting,
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
    om_free(run->heap, run->accepting);
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
    if ((run->accepting = om_alloc(run->heap, states, 1)) == NULL) {
        destroy(run);
        return om_fail_memory(om_task_context(task));
    }
    for (uint32_t q = 0; q < states; q++)
        run->accepting[q] = om_task_accepting(task, q, OM_WEAK);
    *out = run;
    return OM_OK;
}

static const om_option options[] = { { NULL, 0, 0, 0, NULL } };

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD(om_checker, OM_PLUGIN_CHECKER, "weak-cl",
        "trimming of the accepting part on an OpenCL device",
        "Cerna, Pelanek 2003; Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.2", options),
    .strengths = OM_FOR_TERMINAL | OM_FOR_WEAK,
    .acceptance = OM_ACCEPT_ANY,
    .flags = OM_CHECKER_DEVICE,
    .create = create,
    .work = work,
    .destroy = destroy,
};
