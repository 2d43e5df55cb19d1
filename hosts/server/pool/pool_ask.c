/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and messages of other threads to the pool. */
#include "clock.h"
#include "pool_impl.h"
#include "slurm/slurm.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pool_cancel(omend_pool *p, int64_t id, omend_ended_fn *ended, void *self)
{
    omend_asked *a = malloc(sizeof *a);
    pthread_mutex_lock(&p->lock);
    omend_live *job = a == NULL ? NULL : pool_find(p, id);
    if (job != NULL && job->again != NULL)
        job = job->again;
    bool there = job != NULL && job->phase != PHASE_ENDED && !p->ended;
    if (there) {
        *a = (omend_asked){ ended, self, job->asked };
        job->asked = a;
        if (!job->cancelled && job->phase == PHASE_RUNNING && job->remote == NULL)
            launch_signal(job, SIGTERM);
        job->cancelled = true;
        slurm_wake(p);
        p->any_cancelled = true;
    }
    pthread_mutex_unlock(&p->lock);
    if (there) {
        pool_wake(p);
        return;
    }
    free(a);
    ended(self, false);
}

/* ---- removing ---- */

/* After the thread has ended the caller removes the folder itself. */
void pool_remove(omend_pool *p, om_removal *r)
{
    pthread_mutex_lock(&p->lock);
    const bool over = p->over;
    if (!over) {
        r->next = p->removals;
        p->removals = r;
    }
    pthread_mutex_unlock(&p->lock);
    if (!over) {
        pool_wake(p);
        return;
    }
    pool_remove_folder(settings_now(p->settings), r->id);
    r->removed(r);
}

/* ---- devices ---- */

/* Approximate time to open a GPU and to compile or find kernels. */
enum { DEVICE_START_MS = 1000 };

static schedule_device read_device(const json_t *device)
{
    const char *kind = json_string_value(json_object_get(device, "kind"));
    double rate = json_number_value(json_object_get(device, "states_per_second"));
    return (schedule_device){
        .kind = kind != NULL && strcmp(kind, "gpu") == 0           ? SCHEDULE_GPU
                : kind != NULL && strcmp(kind, "accelerator") == 0 ? SCHEDULE_ACCELERATOR
                                                                   : SCHEDULE_CPU,
        .broken = json_is_string(json_object_get(device, "reason")),
        .slots = 1,
        .memory = (uint64_t) json_integer_value(json_object_get(device, "memory_bytes")),
        .rate = (uint64_t) rate,
        .start_ms = DEVICE_START_MS,
    };
}

void pool_set_devices(omend_pool *p, const json_t *devices, double thread_rate)
{
    schedule_device *made = calloc(SCHEDULE_DEVICES, sizeof *made);
    uint32_t count = 0;
    size_t i;
    json_t *device;
    if (made == NULL)
        return;
    json_array_foreach(devices, i, device)
    {
        json_int_t number = json_integer_value(json_object_get(device, "number"));
        if (!json_is_integer(json_object_get(device, "number")) || number < 0 ||
            number >= SCHEDULE_DEVICES)
            continue;
        made[number] = read_device(device);
        if (number >= count)
            count = (uint32_t) number + 1;
    }
    assert(count <= SCHEDULE_DEVICES);
    pthread_mutex_lock(&p->lock);
    free(p->devices);
    p->devices = made;
    p->device_count = count;
    p->thread_rate = (uint64_t) thread_rate;
    p->due = true;
    pthread_mutex_unlock(&p->lock);
    pool_wake(p);
}

/* ---- state ---- */

bool pool_reason(omend_pool *p, int64_t id, char *text, size_t size)
{
    pthread_mutex_lock(&p->lock);
    const omend_live *job = pool_find(p, id);
    const bool submitted = job != NULL && job->phase == PHASE_SUBMITTED;
    if (submitted)
        (void) snprintf(text, size, "%s", job->remote->why);
    bool known = job != NULL && job->phase == PHASE_QUEUED && job->decided;
    schedule_decision d = known ? job->decision : (schedule_decision){ 0 };
    pthread_mutex_unlock(&p->lock);
    return submitted ||
           (known && schedule_reason(&d, (uint64_t) clock_ms(CLOCK_REALTIME), text, size) > 0);
}

omend_pool_figures pool_figures(omend_pool *p)
{
    pthread_mutex_lock(&p->lock);
    omend_pool_figures f = p->figures;
    for (size_t i = 0; i < POOL_RUNNING; i++)
        if (p->running[i] != NULL && p->running[i]->phase == PHASE_SUBMITTED) {
            assert(f.running > 0); /* J3 */
            f.queued++;
            f.running--;
        }
    pthread_mutex_unlock(&p->lock);
    f.capacity = p->slurm == NULL ? p->capacity : (omend_capacity){ 0 }; /* Slurm's is unknown */
    return f;
}

/* ---- waiting for events ---- */

uint64_t pool_changes(omend_pool *p, int64_t id)
{
    pthread_mutex_lock(&p->lock);
    const omend_live *job = pool_find(p, id);
    uint64_t n = job == NULL ? UINT64_MAX : job->changes;
    pthread_mutex_unlock(&p->lock);
    return n;
}

bool pool_wait(omend_pool *p, omend_waiter *w, uint64_t seen)
{
    pthread_mutex_lock(&p->lock);
    omend_live *job = pool_find(p, w->job);
    const bool waits = (job == NULL ? UINT64_MAX : job->changes) == seen && !p->ended;
    assert(w->list == NULL); /* J7 */
    if (waits) {
        w->list = job == NULL ? &p->strangers : &job->waiters;
        w->previous = NULL;
        w->next = *w->list;
        if (w->next != NULL)
            w->next->previous = w;
        *w->list = w;
    }
    pthread_mutex_unlock(&p->lock);
    return waits;
}

void pool_forget(omend_pool *p, omend_waiter *w)
{
    pthread_mutex_lock(&p->lock);
    if (w->list != NULL) {
        assert(w->previous == NULL ? *w->list == w : w->previous->next == w); /* J7 */
        if (w->previous != NULL)
            w->previous->next = w->next;
        else
            *w->list = w->next;
        if (w->next != NULL)
            w->next->previous = w->previous;
        w->list = NULL;
    }
    pthread_mutex_unlock(&p->lock);
}
