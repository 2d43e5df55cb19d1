/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the size of a device's work-groups and its number of work-items at a time: the first run
 * that is long enough measures them, and they are kept with the programs.
 *
 * The run tries each of some sizes for a batch of steps, twice, in the course of its work: the
 * trial does no extra work, and takes as long as those batches (25 ms each, or so), a bit more if a
 * size is bad. Only batches of full steps count. A size must be better by a twentieth than the
 * device's initial one, because other load on the machine disturbs the measurement.
 *
 * pocl compiles a kernel for each size of a work-group, which takes longer than any size saves; its
 * group size is not changed.
 */
#include "member.h"
#include "device_cache.h"

#include <assert.h>

enum { LARGEST_GROUP = 1024 };

/* Returns the largest work-group that all kernels take. */
static size_t group_limit(const om_member *m)
{
    om_device *d = m->queue.device;
    size_t least = LARGEST_GROUP;
    for (uint32_t p = 0; p <= m->slice_count; p++) {
        const om_built *b = p == m->slice_count ? &m->table.built : &m->slices[p].built;
        for (size_t k = 0; k < OM_MOST_KERNELS && b->kernels[k] != NULL; k++) {
            size_t most = d->backend->group_limit(d, b->kernels[k]);
            if (most != 0 && most < least)
                least = most;
        }
    }
    return least;
}

static void add_variant(om_tuning_trial *t, uint32_t local, uint32_t items)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->variants[i].local == local && t->variants[i].items == items)
            return;
    if (t->count < OM_VARIANTS)
        t->variants[t->count++] = (om_variant){ .local = local, .items = items };
}

void om_tuning_trial__begin(om_tuning_trial *t, const om_member *m)
{
    static const uint32_t locals[] = { 64, 32, 128, 256 };
    om_device *d = m->queue.device;
    *t = (om_tuning_trial){ .eager = m->tuning.eager_trial };
    pthread_mutex_lock(&d->owner->lock);
    bool due = !d->tuned;
    pthread_mutex_unlock(&d->owner->lock);
    if (!due || (d->simulated && !t->eager))
        return;
    add_variant(t, m->queue.local, m->queue.most_items);
    if (d->per_size) {
        add_variant(t, m->queue.local, m->queue.most_items / 4);
        add_variant(t, m->queue.local, m->queue.most_items * 4);
        return;
    }
    size_t limit = group_limit(m);
    for (size_t i = 0; i < sizeof locals / sizeof *locals; i++)
        if (locals[i] <= limit && locals[i] <= m->queue.most_items)
            add_variant(t, locals[i], m->queue.most_items);
}

uint32_t om_tuning_trial__pick(om_tuning_trial *t, om_queue *p)
{
    uint32_t v = 0;
    if (t->count == 0)
        return 0;
    for (uint32_t i = 1; i < t->count; i++)
        if (t->variants[i].queued < t->variants[v].queued)
            v = i;
    t->variants[v].queued++;
    p->local = t->variants[v].local;
    p->most_items = t->variants[v].items;
    return v;
}

/* Returns the fastest variant; the first one, unless another is clearly better. */
static const om_variant *best_of(const om_tuning_trial *t)
{
    const om_variant *best = &t->variants[0];
    double least = best->ns_each * 0.95;
    for (uint32_t i = 1; i < t->count; i++)
        if (t->variants[i].ns_each < least) {
            best = &t->variants[i];
            least = best->ns_each;
        }
    return best;
}

void om_tuning_trial__take(om_tuning_trial *t, om_member *m, uint32_t variant, bool full,
    uint64_t transitions, uint64_t took_ns)
{
    assert(variant < OM_VARIANTS);
    enum { SAMPLES = 2 };
    om_variant *v = &t->variants[variant];
    bool enough = true;
    if (t->count == 0 || transitions == 0 || (!full && !t->eager))
        return;
    double each = (double) took_ns / (double) transitions;
    v->ns_each = v->samples == 0 || each < v->ns_each ? each : v->ns_each;
    v->samples++;
    for (uint32_t i = 0; i < t->count; i++)
        enough = enough && t->variants[i].samples >= SAMPLES;
    if (!enough)
        return;
    const om_variant *best = best_of(t);
    m->queue.local = best->local;
    m->queue.most_items = best->items;
    om_device_cache__settle_sizes(m->queue.device, m->ctx, best->local, best->items);
    t->count = 0;
}

void om_tuning_trial__end(om_tuning_trial *t, om_queue *p)
{
    if (t->count > 0) { /* the run was too short */
        p->local = t->variants[0].local;
        p->most_items = t->variants[0].items;
    }
    t->count = 0;
}
