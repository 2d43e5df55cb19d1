/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams of the host: commands in a ring, executed in order by a team of threads, as many as a
 * work-group has work-items. Thread i is work-item i of each group, one group after the other, so a
 * barrier of a kernel is a barrier of the team. Accesses that are not ordered by a barrier, an
 * atomic or the end of a kernel are a race that a sanitizer detects. Thread 0 is the leader: it
 * does copies alone, and wakes the others, once, only for a launch, because waking takes most of
 * the time.
 *
 * A caller continues at once, as with a driver's queue, unless the ring is full.
 *
 * Concurrency: a command belongs to the caller until it is counted in `submitted`, then to the team
 * until it is counted in `done`; both are under the lock. The leader passes it to the others at a
 * barrier, and takes it back at another.
 */
#include "access_trace.h"
#include "team_barrier.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Commands in the ring; groups with separate memory: a thread may be some groups ahead of
 * others. */
enum { RING = 64, GROUP_MEMORIES = 8 };

typedef enum command_kind { COPY, ZERO, WRITE, READ, LAUNCH, QUIT } command_kind;

typedef struct command {
    command_kind kind;
    unsigned char *to;
    const unsigned char *from;
    size_t bytes;
    om_host_kernel *run;
    om_host_argument args[OM_MOST_ARGUMENTS];
    const om_shape *shape;
    om_memory *memory[OM_MOST_ARGUMENTS]; /* of the memory arguments */
    om_memory *target;                    /* memory that contains `to`; NULL if it is the host's
                                           * own */
    const om_memory *source;              /* of a copy: memory that contains `from` */
    size_t global, local;
} command;

/* Is done when `number` commands are. */
struct om_event {
    uint64_t number;
    void *to; /* where the data read is copied to then; or NULL */
    size_t bytes;
    unsigned char copy[];
};

typedef struct worker {
    om_stream *stream;
    uint32_t me;
    pthread_t thread;
} worker;

struct om_stream {
    const om_heap *heap;
    pthread_mutex_t lock;
    pthread_cond_t more, less; /* signal commands queued; done */
    om_team_barrier team;
    bool has_lock, has_more, has_less, has_team;
    bool whole, quits;      /* the team is complete; it never will be. Under the lock */
    const command *current; /* the launch, or the end; between barriers of the team */
    uint64_t number;        /* of `current` */
    om_turns *turns;
    om_access_trace *trace;   /* or NULL */
    uint32_t local;           /* work-items of a group, as set in the turns; used by the leader */
    uint64_t submitted, done; /* commands so far */
    uint64_t stuck_from;      /* launches with this or a later number do not end */
    command ring[RING];
    unsigned long long shared[GROUP_MEMORIES][OM_HOST_SHARED / sizeof(unsigned long long)];
    uint32_t size, started; /* of the team */
    worker workers[OM_HOST_MOST_ITEMS];
};

/* ---- the team ---- */

static void trace(void *tracer, unsigned id, const om_host_touch *touch)
{
    const om_traced_launch *l = tracer;
    if (touch->what == OM_HOST_ATOMIC_READ || touch->what == OM_HOST_ATOMIC_WRITE)
        om_turns__step(l->turns, id);
    /* A trace requires that work-items take turns. */
    if (l->trace != NULL && !om_turns__diverged(l->turns))
        om_access_trace__access(l, id, touch);
}

static void meet(void *team, unsigned me, unsigned line)
{
    om_turns__meet(team, me, line);
}

static void run_groups(om_stream *s, const command *c, uint64_t launch, uint32_t me)
{
    const size_t groups = c->global / c->local;
    om_traced_launch traced = { s->trace, s->turns, launch + 1, c->shape, c->memory };
    om_host_item item = { .ids = (uint32_t) c->global,
        .local = me,
        .locals = (uint32_t) c->local,
        .team = s->turns,
        .barrier = meet,
        .tracer = &traced,
        .trace = trace };
    for (size_t i = 0; i < groups; i++) {
        if (i >= GROUP_MEMORIES && i % GROUP_MEMORIES == 0)
            om_team_barrier__wait(&s->team);
        if (me >= c->local)
            continue;
        item.id = (uint32_t) (om_turns__group(s->turns, launch, i, groups) * c->local) + me;
        item.shared = s->shared[i % GROUP_MEMORIES];
        om_turns__begin(s->turns, me);
        if (i == 0 && me == 0 && s->trace != NULL)
            om_access_trace__launched(&traced);
        c->run(&item, c->args);
        om_turns__end(s->turns, me);
    }
}

static void copy(const command *c)
{
    if (c->kind == ZERO)
        memset(c->to, 0, c->bytes);
    else
        memcpy(c->to, c->from, c->bytes);
    if (c->source != NULL && c->target != NULL)
        om_host__copy_written(c->target, (size_t) (c->to - c->target->bytes), c->source,
            (size_t) (c->from - c->source->bytes), c->bytes);
    else if (c->target != NULL)
        om_host__mark_written(c->target, (size_t) (c->to - c->target->bytes), c->bytes);
}

/* Executes the leader's command in all threads of the team. Returns false if it was QUIT. */
static bool launch(om_stream *s, uint32_t me)
{
    om_team_barrier__wait(&s->team);
    const command *c = s->current;
    if (c->kind == QUIT)
        return false;
    run_groups(s, c, s->number, me);
    om_team_barrier__wait(&s->team);
    return true;
}

/* The leader's part of it. */
static bool lead(om_stream *s, const command *c, uint64_t number)
{
    while (c->kind == LAUNCH && number >= s->stuck_from)
        (void) sleep(1);
    if (c->kind == LAUNCH && s->local != c->local) {
        s->local = (uint32_t) c->local;
        om_turns__resize(s->turns, s->local);
    }
    s->current = c;
    s->number = number;
    return launch(s, 0);
}

static void leader_main(om_stream *s)
{
    for (uint64_t number = 0;; number++) {
        const command *c = &s->ring[number % RING];
        pthread_mutex_lock(&s->lock);
        while (s->submitted == number)
            (void) pthread_cond_wait(&s->more, &s->lock);
        pthread_mutex_unlock(&s->lock);
        if (c->kind == COPY || c->kind == ZERO || c->kind == WRITE || c->kind == READ)
            copy(c);
        else if (!lead(s, c, number))
            return;
        pthread_mutex_lock(&s->lock);
        s->done = number + 1;
        pthread_cond_broadcast(&s->less);
        pthread_mutex_unlock(&s->lock);
    }
}

/* Waits until the team is complete, or a thread could not be started. */
static bool is_whole(om_stream *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->whole && !s->quits)
        (void) pthread_cond_wait(&s->more, &s->lock);
    bool whole = s->whole;
    pthread_mutex_unlock(&s->lock);
    return whole;
}

static void *worker_main(void *self)
{
    const worker *w = self;
    om_stream *s = w->stream;
    if (!is_whole(s))
        return NULL;
    if (w->me == 0)
        leader_main(s);
    else
        while (launch(s, w->me))
            ;
    return NULL;
}

/* ---- callers ---- */

static void wait_for(om_stream *s, uint64_t number)
{
    pthread_mutex_lock(&s->lock);
    while (s->done < number)
        (void) pthread_cond_wait(&s->less, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* Waits until `until_ns`. Returns true if the commands are done. */
static bool wait_until(om_stream *s, uint64_t number, uint64_t until_ns)
{
    const struct timespec until = { .tv_sec = (time_t) (until_ns / 1000000000),
        .tv_nsec = (long) (until_ns % 1000000000) };
    pthread_mutex_lock(&s->lock);
    while (s->done < number && pthread_cond_timedwait(&s->less, &s->lock, &until) == 0)
        ;
    bool done = s->done >= number;
    pthread_mutex_unlock(&s->lock);
    return done;
}

/* Returns the error of the stream so far; results after it are not valid. */
static int error_of(om_stream *s)
{
    if (s->trace != NULL && om_access_trace__bad(s->trace))
        return OM_HOST_WRONG;
    return om_turns__diverged(s->turns) ? OM_HOST_DIVERGED : 0;
}

/* Queues a command; returns the number of commands so far. */
static uint64_t ask(om_stream *s, const command *c)
{
    if (s->submitted >= RING)
        wait_for(s, s->submitted - RING + 1);
    s->ring[s->submitted % RING] = *c;
    pthread_mutex_lock(&s->lock);
    uint64_t number = ++s->submitted;
    pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
    return number;
}

int om_host__copy(om_device *d, om_stream *s, const om_copy *c)
{
    (void) d;
    (void) ask(s, &(command){ .kind = COPY,
                      .from = c->from->bytes + c->from_at,
                      .to = c->to->bytes + c->to_at,
                      .bytes = c->bytes,
                      .source = c->from,
                      .target = c->to });
    return 0;
}

int om_host__zero(om_device *d, om_stream *s, om_memory *m, size_t at, size_t bytes)
{
    (void) d;
    (void) ask(s, &(command){ .kind = ZERO, .to = m->bytes + at, .bytes = bytes, .target = m });
    return 0;
}

int om_host__write(om_device *d, om_stream *s, om_memory *m, size_t at, const void *from, size_t n)
{
    (void) d;
    wait_for(
        s, ask(s, &(command){
                      .kind = WRITE, .from = from, .to = m->bytes + at, .bytes = n, .target = m }));
    return 0;
}

static om_event *new_event(om_stream *s, void *to, size_t bytes)
{
    om_event *e = om_alloc(s->heap, 1, sizeof *e + bytes);
    if (e == NULL)
        return NULL;
    e->to = to;
    e->bytes = bytes;
    return e;
}

int om_host__read(om_device *d, om_stream *s, const om_copy *c, void *to, om_event **event)
{
    command read = {
        .kind = READ, .from = c->from->bytes + c->from_at, .to = to, .bytes = c->bytes
    };
    (void) d;
    if (event == NULL) {
        wait_for(s, ask(s, &read));
        return error_of(s);
    }
    om_event *e = new_event(s, to, c->bytes);
    if (e == NULL)
        return OM_HOST_NO_MEMORY;
    read.to = e->copy;
    e->number = ask(s, &read);
    *event = e;
    return 0;
}

int om_host__mark(om_device *d, om_stream *s, om_event **event)
{
    om_event *e = new_event(s, NULL, 0);
    (void) d;
    if (e == NULL)
        return OM_HOST_NO_MEMORY;
    e->number = s->submitted;
    *event = e;
    return 0;
}

int om_host__launch(om_device *d, om_stream *s, const om_launch *l)
{
    command c = { .kind = LAUNCH,
        .run = l->kernel->run,
        .shape = l->kernel->shape,
        .global = l->global,
        .local = l->local };
    const char *kinds = l->kernel->shape->args;
    (void) d;
    assert(l->count <= OM_MOST_ARGUMENTS && strlen(kinds) == l->count);
    if (l->local > s->size || l->global > UINT32_MAX)
        return OM_HOST_TOO_LARGE;
    for (uint32_t i = 0; i < l->count; i++)
        if (kinds[i] == 'm' || kinds[i] == 'n') {
            om_memory *const *m = l->args[i].value;
            c.memory[i] = *m;
            c.args[i].memory = (*m)->bytes;
        } else if (kinds[i] == 'u')
            memcpy(&c.args[i].u, l->args[i].value, sizeof c.args[i].u);
        else
            memcpy(&c.args[i].U, l->args[i].value, sizeof c.args[i].U);
    (void) ask(s, &c);
    return 0;
}

int om_host__wait(om_device *d, om_stream *s, om_event *event, uint64_t until_ns)
{
    (void) d;
    if (!wait_until(s, event->number, until_ns))
        return OM_PENDING;
    if (event->to != NULL)
        memcpy(event->to, event->copy, event->bytes);
    om_free(s->heap, event);
    return error_of(s);
}

void om_host__finish(om_stream *s)
{
    wait_for(s, s->submitted);
}

void om_host__costs(om_device *d, om_stream *s, om_device_costs *sum)
{
    (void) d;
    if (s->trace != NULL)
        om_device__add_costs(sum, om_access_trace__costs(s->trace));
}

/* ---- opening ---- */

/* Starts the whole team. On failure, the threads already started do nothing. */
static bool start_team(om_stream *s)
{
    while (s->started < s->size) {
        worker *w = &s->workers[s->started];
        *w = (worker){ .stream = s, .me = s->started };
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
            break;
        s->started++;
    }
    pthread_mutex_lock(&s->lock);
    s->whole = s->started == s->size;
    s->quits = !s->whole;
    pthread_cond_broadcast(&s->more);
    pthread_mutex_unlock(&s->lock);
    return s->whole;
}

/* Waits use the monotonic clock. */
static bool open_condition(pthread_cond_t *c)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool made =
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 && pthread_cond_init(c, &attr) == 0;
    (void) pthread_condattr_destroy(&attr);
    return made;
}

om_stream *om_host__stream_open(om_device *d, int *error)
{
    const om_heap *heap = d->owner->heap;
    om_stream *s = NULL;
    pthread_mutex_lock(&d->owner->lock);
    uint32_t size = d->local;
    pthread_mutex_unlock(&d->owner->lock);
    *error = OM_HOST_TOO_LARGE;
    if (size == 0 || size > OM_HOST_MOST_ITEMS)
        return NULL;
    *error = OM_HOST_NO_MEMORY;
    if ((s = om_alloc(heap, 1, sizeof *s)) == NULL)
        return NULL;
    s->heap = heap;
    s->size = s->local = size;
    s->has_lock = pthread_mutex_init(&s->lock, NULL) == 0;
    s->has_more = pthread_cond_init(&s->more, NULL) == 0;
    s->has_less = open_condition(&s->less);
    s->has_team = om_team_barrier__open(&s->team, size);
    const om_host_setting *setting = d->own;
    s->stuck_from = setting->order == OM_HOST_STUCK ? setting->seed : UINT64_MAX;
    bool traces = om_host__traces(d);
    s->turns = om_turns__open(heap, size, setting);
    s->trace = traces ? om_access_trace__open(heap) : NULL;
    if (s->turns != NULL && (!traces || s->trace != NULL))
        *error = OM_HOST_NO_THREAD;
    if (s->has_lock && s->has_more && s->has_less && s->has_team && s->turns != NULL &&
        (!traces || s->trace != NULL) && start_team(s))
        return s;
    om_host__stream_close(d, s);
    return NULL;
}

/* Copies the stream's first violation to the device. */
static void keep_wrong(om_device *d, const om_access_trace *trace)
{
    om_host_setting *setting = d->own;
    if (trace == NULL || om_access_trace__wrong(trace) == NULL)
        return;
    pthread_mutex_lock(&d->owner->lock);
    if (setting->wrong[0] == '\0')
        (void) snprintf(setting->wrong, sizeof setting->wrong, "%s", om_access_trace__wrong(trace));
    pthread_mutex_unlock(&d->owner->lock);
    om_note(d->owner->ctx, OM_NOTE_WARNING, NULL, "device %s: %s", d->info.name,
        om_access_trace__wrong(trace));
}

void om_host__stream_close(om_device *d, om_stream *s)
{
    if (s->whole)
        (void) ask(s, &(command){ .kind = QUIT });
    for (uint32_t i = 0; i < s->started; i++)
        (void) pthread_join(s->workers[i].thread, NULL);
    om_turns__close(s->turns);
    keep_wrong(d, s->trace);
    om_access_trace__close(s->trace);
    if (s->has_team)
        om_team_barrier__close(&s->team);
    if (s->has_less)
        (void) pthread_cond_destroy(&s->less);
    if (s->has_more)
        (void) pthread_cond_destroy(&s->more);
    if (s->has_lock)
        (void) pthread_mutex_destroy(&s->lock);
    om_free(s->heap, s);
}
