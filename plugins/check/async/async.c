/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async: producers search, and consumers unite the states that the producers have found to belong
 * together: Renault et al. 2017, section 4.1, algorithm 2.
 *
 * A producer follows either strategy. Instead of uniting two states or marking a component dead, it
 * puts a message into its queue. In the union-find it only checks whether a state is dead, and
 * looks no farther than the state's parent. (Its live stack remembers the states that it has left
 * itself: the paper's local set of dead states.) Consumers share all queues; each queue is emptied
 * in order, by one consumer at a time. The last workers are the consumers; a single worker searches
 * and shares nothing.
 *
 * Queues are bounded: a producer whose queue is full waits. A consumer waits only while all queues
 * are empty. If a consumer fails, the task is stopped, which ends all waits. So no worker waits for
 * ever.
 *
 * Why dead marks are sound. The message that a component is dead follows, in the same queue, all
 * the messages by which its producer united the component. When it is applied, the component is
 * therefore one class, and all states that it leads to, which were dead before, have been marked.
 * The producer knows the component's marks, with both strategies (tarjan.c keeps them, too), so an
 * accepting component is never marked dead.
 *
 * Termination. A producer that has finished from every initial state knows by itself that no
 * component that it explored accepts; other workers established that for the components that it
 * found dead. So the search is complete, whatever messages are still queued. (The paper's producers
 * of the Tarjan strategy know no marks and wait until their queue is empty.)
 *
 * Evidence comes from a producer, or from a consumer whose unite() returned accepting marks; a
 * consumer has no path, only a state. Messages still queued then belong to the component: settle()
 * applies them before the component is first queried, in the one thread that queries it. A producer
 * that is stopped while its queue is full unites the states itself.
 *
 * Bytes: those of the strategy, and 24 for each of 16,384 messages of a producer.
 */
#include "message_queue.h"

#include "pause.h"

#include <assert.h>

enum { OPTION_CONSUMERS = STRATEGY_OPTIONS, OPTION_STRATEGY };

struct strategy_queues {
    queue **of; /* by producer */
    unsigned producers;
    bool tarjan;
    bool settled;
    atomic_uint at_work; /* number of running producers */
};

/* ---- consumers ---- */

typedef struct consumer {
    om_run *run;
    uint64_t unions;
} consumer;

/* Applies one message to the union-find. */
static int apply(void *self, const strategy_message *m)
{
    consumer *c = self;
    om_run *run = c->run;
    om_marks total;
    c->unions++;
    if (m->b == OM_NO_ID)
        return om_unionfind_kill(run->classes, m->a);
    int rc = om_unionfind_unite(run->classes, m->a, m->b, m->marks, &total);
    if (rc != OM_OK)
        atomic_store(&run->torn, true);
    else if (inf_clauses_met(&run->accepts, total))
        return strategy_found_at(run, m->a, total);
    return rc;
}

static int consume(om_run *run, unsigned worker)
{
    struct strategy_queues *queues = run->queues;
    consumer c = { .run = run };
    om_pause pause = { 0 };
    int rc = OM_OK;
    assert(worker >= queues->producers && worker < run->workers);
    /* acquire: pairs with the release in produce(): when the last producer has ended, the search is
     * over; no other data depends on it. */
    while (rc == OM_OK && !om_task_stopped(run->task) &&
           atomic_load_explicit(&queues->at_work, memory_order_acquire) > 0) {
        bool any = false;
        for (unsigned i = 0; rc == OM_OK && i < queues->producers; i++)
            rc = queue_consume(queues->of[(i + worker) % queues->producers], apply, &c, &any);
        if (any)
            pause = (om_pause){ 0 };
        else
            om_pause_once(&pause);
    }
    om_task_count(run->task, OM_COUNT_UNIONS, c.unions);
    strategy_ended(run);
    return rc;
}

/* ---- producers ---- */

/* Waits for room in a full queue. Returns OM_OK after the message was put. */
static int wait_for_room(om_run *run, queue *q, const strategy_message *m)
{
    om_pause pause = { 0 };
    bool put = false;
    while (!om_task_stopped(run->task) && !(put = queue_put(q, m)))
        om_pause_once(&pause);
    om_task_count(run->task, OM_COUNT_BLOCKED_NS, om_pause_length(&pause));
    return put ? OM_OK : OM_ESTOP;
}

static int put(om_run *run, unsigned worker, const strategy_message *m)
{
    queue *q = run->queues->of[worker];
    om_marks total;
    assert(worker < run->queues->producers);
    if (queue_put(q, m) || wait_for_room(run, q, m) == OM_OK)
        return OM_OK;
    if (m->b == OM_NO_ID)
        return OM_ESTOP;
    om_task_count(run->task, OM_COUNT_UNIONS, 1);
    int rc = om_unionfind_unite(run->classes, m->a, m->b, m->marks, &total);
    if (rc != OM_OK)
        atomic_store(&run->torn, true);
    return rc;
}

static int produce(om_run *run, unsigned worker)
{
    int rc = run->queues->tarjan ? strategy_tarjan(run, worker) : strategy_dijkstra(run, worker);
    /* release: pairs with the acquire in consume(). */
    (void) atomic_fetch_sub_explicit(&run->queues->at_work, 1, memory_order_release);
    return rc;
}

/* ---- the run ---- */

/* Unites the states of a message that was left in a queue. */
static int unite_rest(void *self, const strategy_message *m)
{
    om_run *run = self;
    om_marks total;
    if (m->b != OM_NO_ID && om_unionfind_unite(run->classes, m->a, m->b, m->marks, &total) != OM_OK)
        atomic_store(&run->torn, true);
    return OM_OK;
}

static void settle(om_run *run)
{
    struct strategy_queues *queues = run->queues;
    for (unsigned i = 0; !queues->settled && i < queues->producers; i++)
        for (bool any = true; any;) {
            any = false;
            (void) queue_consume(queues->of[i], unite_rest, run, &any);
        }
    queues->settled = true;
}

static int work(om_run *run, unsigned worker)
{
    return worker < run->queues->producers ? produce(run, worker) : consume(run, worker);
}

static void destroy(om_run *run)
{
    struct strategy_queues *queues = run->queues;
    for (unsigned i = 0; queues != NULL && queues->of != NULL && i < queues->producers; i++) {
        om_task_add_counts(run->task, 0, 0, queues->of[i] == NULL ? 0 : queue_bytes());
        queue_free(run->heap, queues->of[i]);
    }
    if (queues != NULL)
        om_free(run->heap, queues->of);
    om_free(run->heap, queues);
    strategy_destroy(run);
}

/* Opens the queues, with `consumers` of the workers as consumers, but at least one producer. */
static int open_queues(om_run *run, unsigned consumers)
{
    struct strategy_queues *queues = run->queues;
    unsigned most = run->workers - 1;
    consumers = consumers < most ? consumers : most;
    queues->producers = run->workers - consumers;
    atomic_init(&queues->at_work, queues->producers);
    if (consumers == 0)
        return OM_OK;
    queues->of = om_alloc(run->heap, queues->producers, sizeof(queue *));
    for (unsigned i = 0; queues->of != NULL && i < queues->producers; i++)
        if ((queues->of[i] = queue_new(run->heap)) == NULL)
            return om_fail_memory(om_task_context(run->task));
    run->put = put;
    run->settle = settle;
    return queues->of == NULL ? om_fail_memory(om_task_context(run->task)) : OM_OK;
}

static int create(om_run *run, om_task *task, const int64_t *options)
{
    int rc = strategy_create_classes(run, task, options);
    if (rc != OM_OK)
        return rc;
    if (!OM_NEW(run->heap, run->queues, 1))
        return om_fail_memory(om_task_context(task));
    run->queues->tarjan = options[OPTION_STRATEGY] != 0;
    return open_queues(run, (unsigned) options[OPTION_CONSUMERS]);
}

/* clang-format off */
static const om_option options[] = {
    STRATEGY_OPTION_LIST,
    [OPTION_CONSUMERS] = { "consumers", 1, 1, 64, "workers that fill the union-find, if others remain" },
    [OPTION_STRATEGY] = { "strategy", 0, 0, 1, "strategy of the other workers" },
    { NULL, 0, 0, 0, NULL }
};
static const om_option_names option_names[] = {
    STRATEGY_OPTION_NAMES,
    { "strategy", (const char *const[]){ "dijkstra", "tarjan", NULL } },
    { NULL, NULL }
};
/* clang-format on */

OM_API extern const om_checker omen_plugin;
const om_checker omen_plugin = {
    .head = OM_PLUGIN_HEAD_NAMED(om_checker, OM_PLUGIN_CHECKER, "async",
        "producers that search, and consumers that fill the shared union-find",
        "Renault, Duret-Lutz, Kordon, Poitrenaud 2017, section 4.1", options, option_names),
    .strengths = STRATEGY_STRENGTHS,
    .acceptance = STRATEGY_ACCEPTANCE,
    .flags = STRATEGY_FLAGS,
    .run_size = sizeof(om_run),
    .create = create,
    .work = work,
    .destroy = destroy,
};
