/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include "process/processors.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* Threads wait at the gate until all of them exist: workers that wait for each other may then rely
 * on all having started. */
typedef struct gate {
    pthread_mutex_t lock; /* guards open and go */
    pthread_cond_t changed;
    bool open, go;
    void (*fn)(void *self, unsigned worker);
    void *self;
    om_admission *admission; /* or NULL */
    const om_nodes *nodes;
    unsigned processor; /* of the caller, which will sleep */
} gate;

typedef struct member {
    gate *gate;
    unsigned worker;
    pthread_t thread;
} member;

void om_admission__init(om_admission *a)
{
    *a = (om_admission){ .closed = true };
    (void) pthread_mutex_init(&a->lock, NULL);
    (void) pthread_cond_init(&a->changed, NULL);
}

void om_admission__destroy(om_admission *a)
{
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
}

void om_admission__open(om_admission *a, unsigned workers)
{
    pthread_mutex_lock(&a->lock);
    if (workers > a->admitted)
        a->admitted = workers;
    a->first = a->admitted;
    a->closed = false;
    pthread_mutex_unlock(&a->lock);
}

void om_admission__raise(om_admission *a, unsigned workers)
{
    pthread_mutex_lock(&a->lock);
    if (workers > a->admitted)
        a->admitted = workers;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

/* Waits for the admission of a worker; returns false if it is too late. */
static bool await_admission(om_admission *a, unsigned worker)
{
    pthread_mutex_lock(&a->lock);
    while (worker >= a->admitted && !a->closed) /* the first ones need not wait */
        pthread_cond_wait(&a->changed, &a->lock);
    bool may = worker < a->first || !a->closed;
    assert(a->first <= a->admitted && (!may || worker < a->admitted));
    pthread_mutex_unlock(&a->lock);
    return may;
}

static void close_admission(om_admission *a)
{
    pthread_mutex_lock(&a->lock);
    a->closed = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void *run_member(void *p)
{
    member *m = p;
    gate *g = m->gate;

    pthread_mutex_lock(&g->lock);
    while (!g->open)
        pthread_cond_wait(&g->changed, &g->lock);
    bool go = g->go;
    pthread_mutex_unlock(&g->lock);
    if (go && (g->admission == NULL || await_admission(g->admission, m->worker))) {
        void *before = om_nodes__enter(g->nodes, m->worker);
        om_processors__move_to(g->processor, m->worker / om_nodes__count(g->nodes));
        g->fn(g->self, m->worker);
        om_nodes__leave(g->nodes, before);
        if (g->admission != NULL)
            close_admission(g->admission);
    }
    return NULL;
}

static void open_gate(gate *g, bool go)
{
    pthread_mutex_lock(&g->lock);
    g->open = true;
    g->go = go;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

/*
 * With several workers, none is the calling thread: their allocations then come from the heap
 * arenas of their own threads, away from older data that all threads read. A write to a cache line
 * makes all other readers fetch it again.
 */
static int run_several(om_context *ctx, unsigned n, om_admission *admission,
    void (*fn)(void *self, unsigned worker), void *self)
{
    gate g = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, fn, self,
        admission, om_context__nodes(ctx), om_processors__current() };
    member *members = om_alloc(om_context_heap(ctx), n, sizeof *members);
    unsigned started = 0;
    int error = 0;
    assert(n > 1);

    if (members == NULL)
        return om_fail_memory(ctx);
    for (; started < n && error == 0; started += error == 0) {
        members[started] = (member){ .gate = &g, .worker = started };
        error = pthread_create(&members[started].thread, NULL, run_member, &members[started]);
    }
    open_gate(&g, error == 0);
    for (unsigned i = 0; i < started; i++)
        (void) pthread_join(members[i].thread, NULL);
    om_free(om_context_heap(ctx), members);
    pthread_cond_destroy(&g.changed);
    pthread_mutex_destroy(&g.lock);
    if (error != 0)
        return om_fail(ctx, OM_ELIMIT, NULL, "cannot start thread %u of %u: %s", started + 1, n,
            strerror(error));
    return OM_OK;
}

int om_threads__run(om_context *ctx, unsigned n, om_admission *admission,
    void (*fn)(void *self, unsigned worker), void *self)
{
    if (n > 1)
        return run_several(ctx, n, admission, fn, self);
    fn(self, 0);
    return OM_OK;
}
