/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Engines: the members of an exploration, opened concurrently, and their barrier. A single device
 * is a group of one: it has no thread but the caller's, and no other member to hand candidates to.
 */
#include "exchange.h"
#include "fixpoint.h"
#include "sized.h"

#include <assert.h>
#include <string.h>

/* ---- members ---- */

static void *open_member(void *self)
{
    om_member *m = self;
    const om_engine *e = m->engine;
    int rc = e->count > 1 ? om_exchange__order(m) : OM_OK;
    if (rc == OM_OK)
        rc = om_fixpoint__order(m);
    if (rc == OM_OK)
        rc = om_member__open(m, &m->tuning);
    if (rc == OM_OK && e->count > 1)
        rc = om_exchange__open(m);
    if (rc == OM_OK)
        rc = om_fixpoint__open(m);
    m->rc = rc;
    return NULL;
}

/* Returns true if member i will find its programs in the cache, because an earlier member is of the
 * same kind. */
static bool is_twin(const om_engine *e, uint32_t i)
{
    const om_device *d = e->members[i].device;
    for (uint32_t k = 0; k < i && !d->alone; k++) {
        const om_device_info *other = &e->members[k].device->info;
        if (strcmp(d->info.name, other->name) == 0 && strcmp(d->info.driver, other->driver) == 0)
            return true;
    }
    return false;
}

/* Opens the members concurrently, because compilers are slow, except those that find their programs
 * in the cache after another member has built them. */
static int open_members(om_engine *e)
{
    bool threaded[OM_MOST_MEMBERS] = { false };
    int rc = OM_OK;
    for (uint32_t i = 1; i < e->count; i++)
        threaded[i] = !is_twin(e, i) &&
                      pthread_create(&e->members[i].thread, NULL, open_member, &e->members[i]) == 0;
    (void) open_member(&e->members[0]);
    for (uint32_t i = 1; i < e->count; i++)
        if (threaded[i])
            (void) pthread_join(e->members[i].thread, NULL);
        else
            (void) open_member(&e->members[i]);
    for (uint32_t i = 0; rc == OM_OK && i < e->count; i++)
        rc = e->members[i].rc;
    return rc;
}

static int list_members(om_engine *e, const om_tuning *tuning)
{
    om_device *d = e->spec.device;
    e->count = d->member_count == 0 ? 1 : (uint32_t) d->member_count;
    if ((e->members = om_alloc(e->heap, e->count, sizeof *e->members)) == NULL)
        return om_fail_memory(e->ctx);
    for (uint32_t i = 0; i < e->count; i++)
        e->members[i] = (om_member){ .engine = e,
            .me = i,
            .ctx = e->ctx,
            .heap = e->heap,
            .spec = &e->spec,
            .device = d->member_count == 0 ? d : d->members[i],
            .tuning = *tuning };
    return OM_OK;
}

/* ---- the barrier: unlike those of POSIX, it can wait for fewer threads than planned ---- */

static int open_barrier(om_engine *e)
{
    if (pthread_mutex_init(&e->lock, NULL) != 0)
        return om_fail(e->ctx, OM_EIO, NULL, "cannot create a lock");
    if (pthread_cond_init(&e->all_here, NULL) == 0) {
        e->has_barrier = true;
        return OM_OK;
    }
    (void) pthread_mutex_destroy(&e->lock);
    return om_fail(e->ctx, OM_EIO, NULL, "cannot create a lock");
}

void om_engine__barrier(om_engine *e)
{
    pthread_mutex_lock(&e->lock);
    uint64_t turn = e->turn;
    assert(e->waiting < e->expected);
    if (++e->waiting == e->expected) {
        e->waiting = 0;
        e->turn++;
        pthread_cond_broadcast(&e->all_here);
    }
    while (e->turn == turn)
        (void) pthread_cond_wait(&e->all_here, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

/* ---- engines ---- */

int om_engine__open(
    om_engine **out, om_context *ctx, const om_engine_spec *spec, const om_tuning *tuning)
{
    const om_heap *heap = om_context_heap(ctx);
    if (spec->device == NULL || spec->model == NULL ||
        (spec->accepting != NULL && (spec->automaton == NULL || spec->device->member_count != 0)))
        return om_fail(ctx, OM_EINVAL, NULL, "an engine needs a device and a model");
    om_engine *e = om_alloc(heap, 1, sizeof *e);
    if (e == NULL)
        return om_fail_memory(ctx);
    e->ctx = ctx;
    e->heap = heap;
    e->spec = *spec;
    e->words = om_model_words(spec->model);
    e->row = e->words + (spec->automaton != NULL);
    int rc = open_barrier(e);
    if (rc == OM_OK)
        rc = list_members(e, tuning);
    if (rc == OM_OK)
        rc = open_members(e);
    if (rc != OM_OK) {
        om_engine_close(e);
        return rc;
    }
    *out = e;
    return OM_OK;
}

int om_engine_open(om_engine **out, om_context *ctx, const om_engine_spec *spec)
{
    om_engine_spec one;
    if (!om_sized__copy(&one, sizeof one, offsetof(om_engine_spec, fixpoint), spec))
        return om_fail(
            ctx, OM_EINVAL, NULL, "the specification of an exploration has an unknown version");
    if (one.accepting != NULL && one.device != NULL && one.device->member_count != 0) {
        one.device = one.device->members[0];
        om_note(ctx, OM_NOTE_NOTICE, NULL, "a part that is trimmed uses one device: only %s",
            one.device->info.name);
    }
    return om_engine__open(out, ctx, &one, &om_tuning__default);
}

void om_engine_close(om_engine *e)
{
    if (e == NULL)
        return;
    for (uint32_t i = 0; e->members != NULL && i < e->count; i++) {
        om_fixpoint__close(&e->members[i]);
        om_exchange__close(&e->members[i]);
        om_member__close(&e->members[i]);
    }
    if (e->has_barrier) {
        (void) pthread_cond_destroy(&e->all_here);
        (void) pthread_mutex_destroy(&e->lock);
    }
    om_row_list__free(e->heap, &e->initial);
    OM_FREE_ALL(e->heap, e->stop_at, e->members, e);
}

int om_engine_costs(om_engine *e, om_device_costs *out)
{
    int rc = OM_OK;
    *out = (om_device_costs){ 0 };
    for (uint32_t i = 0; rc == OM_OK && i < e->count; i++)
        rc = om_queue__costs(&e->members[i].queue, out);
    if (rc != OM_OK)
        out->count = 0;
    return rc;
}

int om_engine_trim(om_engine *e, om_id *rest, uint64_t *rounds)
{
    uint64_t count = 0;
    *rest = OM_NO_ID;
    if (e->spec.accepting == NULL || !e->complete)
        return om_fail(e->ctx, OM_EINVAL, NULL, "trimming needs a complete exploration");
    int rc = om_member__trim(&e->members[0], rest, &count); /* it is the only one */
    e->trimmed = rc == OM_OK && *rest == OM_NO_ID;
    e->rounds = count;
    e->fixed = false;
    if (rounds != NULL)
        *rounds = count;
    return rc;
}

int om_engine_fixpoint(om_engine *e, om_marks all, om_id *rest, uint64_t *rounds)
{
    uint64_t count = 0;
    *rest = OM_NO_ID;
    if (e->spec.accepting == NULL || !e->spec.fixpoint || !e->complete)
        return om_fail(e->ctx, OM_EINVAL, NULL, "a fixpoint needs a complete exploration");
    int rc = om_fixpoint__run(&e->members[0], all, rest, &count); /* it is the only one */
    e->trimmed = e->fixed = rc == OM_OK && *rest == OM_NO_ID;
    e->rounds = count;
    e->sets = all;
    if (rounds != NULL)
        *rounds = count;
    return rc;
}
