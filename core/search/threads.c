/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include "machine.h"

#include <pthread.h>
#include <string.h>

/* Threads wait at the gate until all of them are there: workers that wait for each other may then
 * rely on everyone having started. */
typedef struct gate {
    pthread_mutex_t lock; /* guards open and go */
    pthread_cond_t changed;
    bool open, go;
    void (*fn)(void *self, unsigned worker);
    void *self;
    const om_nodes *nodes;
} gate;

typedef struct member {
    gate *gate;
    unsigned worker;
    pthread_t thread;
} member;

static void *run_member(void *p)
{
    member *m = p;
    gate *g = m->gate;

    pthread_mutex_lock(&g->lock);
    while (!g->open)
        pthread_cond_wait(&g->changed, &g->lock);
    bool go = g->go;
    pthread_mutex_unlock(&g->lock);
    if (go) {
        void *before = om_nodes__enter(g->nodes, m->worker);
        g->fn(g->self, m->worker);
        om_nodes__leave(g->nodes, before);
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
 * None of several is the caller, so that what they allocate comes from parts of the heap that are
 * their threads', away from what was made before and is read by all: a cache line that one writes
 * is fetched anew by all others at each look.
 */
static int run_several(
    om_context *ctx, unsigned n, void (*fn)(void *self, unsigned worker), void *self)
{
    gate g = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, fn, self,
        om_context__nodes(ctx) };
    member *members = om_alloc(om_context_heap(ctx), n, sizeof *members);
    unsigned started = 0;
    int error = 0;

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

int om_threads__run(
    om_context *ctx, unsigned n, void (*fn)(void *self, unsigned worker), void *self)
{
    if (n > 1)
        return run_several(ctx, n, fn, self);
    fn(self, 0);
    return OM_OK;
}
