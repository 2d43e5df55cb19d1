/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include <assert.h>
#include <string.h>

/* A `run` in the text. */
typedef struct site {
    pml_proctype *within;
    const pml_node *node;
    const pml_expr *run;
    uint32_t most;  /* how often one process does it at most; OM_NONE: unknown */
    bool unbounded; /* no bound is known, or the bound exceeds SPIN's limit */
} site;

typedef struct finder {
    pml_lowering *l;
    site *sites;
} finder;

/* Sets *out if a process that has executed n can execute it again. */
static int repeats(finder *f, const pml_graph *g, const pml_node *n, bool *out)
{
    const om_heap *heap = f->l->file->region.heap;
    pml_leaves leaves = { .at = NULL };
    bool *seen = om_alloc(heap, g->location_count + 1, sizeof *seen);
    uint32_t *queue = om_alloc(heap, g->location_count + 1, sizeof *queue);
    uint32_t count = 0;
    int rc = seen == NULL || queue == NULL ? om_fail_memory(f->l->file->ctx) : OM_OK;
    *out = false;
    if (rc == OM_OK) {
        queue[count++] = pml_after(n)->location;
        seen[queue[0]] = true;
    }
    for (uint32_t i = 0; i < count && rc == OM_OK; i++) {
        rc = pml_leaves_of(f->l->file, g->locations[queue[i] - 1], &leaves);
        for (size_t k = 0; k < leaves.count && rc == OM_OK; k++) {
            *out = *out || leaves.at[k].node == n;
            if (leaves.at[k].node->kind == PML_N_END)
                continue;
            uint32_t next = pml_after(leaves.at[k].node)->location;
            assert(next != 0 && count <= g->location_count); /* G1 */
            if (!seen[next])
                queue[count++] = next;
            seen[next] = true;
        }
    }
    OM_FREE_ALL(heap, leaves.at, seen, queue);
    return rc;
}

/* Counts the `run`s of the type that can be repeated. */
static int count_repeated(finder *f, const pml_proctype *t)
{
    const uint32_t sites = f->l->file->sites;
    uint32_t *most = om_alloc(f->l->file->region.heap, (size_t) sites + 1, sizeof *most);
    bool any = false;
    if (most == NULL)
        return om_fail_memory(f->l->file->ctx);
    for (uint32_t i = 0; i < sites; i++) {
        const bool asked = f->sites[i].within == t && f->sites[i].most == OM_NONE;
        most[i] = asked ? 0 : OM_NONE;
        any = any || asked;
    }
    int rc = any ? pml_count_runs(f->l->file, t, most, sites) : OM_OK;
    for (uint32_t i = 0; i < sites; i++)
        if (f->sites[i].within == t && f->sites[i].most == OM_NONE)
            f->sites[i].most = most[i];
    om_free(f->l->file->region.heap, most);
    return rc;
}

static int find_sites(finder *f, pml_proctype *t)
{
    pml_leaves leaves = { .at = NULL };
    int rc = OM_OK;
    for (uint32_t i = 0; i < t->graph->location_count && rc == OM_OK; i++) {
        rc = pml_leaves_of(f->l->file, t->graph->locations[i], &leaves);
        for (size_t k = 0; k < leaves.count && rc == OM_OK; k++) {
            const pml_expr *run = pml_run_in(leaves.at[k].node->s);
            if (run == NULL || f->sites[run->site].run != NULL)
                continue;
            bool again = false;
            rc = repeats(f, t->graph, leaves.at[k].node, &again);
            f->sites[run->site] = (site){ .within = t, .run = run, .most = again ? OM_NONE : 1 };
        }
    }
    om_free(f->l->file->region.heap, leaves.at);
    return rc == OM_OK ? count_repeated(f, t) : rc;
}

/* Returns true if the number of processes of the type that are ever started is known. */
static bool is_bounded(const finder *f, const pml_proctype *t)
{
    for (uint32_t i = 0; i < f->l->file->sites; i++)
        if (f->sites[i].run != NULL && f->sites[i].unbounded && f->sites[i].run->process == t)
            return false;
    return true;
}

/* Returns how many processes a `run` starts in total, or the size of a pool. A site that is
 * unbounded once stays so, which ends the recursion of a `run` that leads to itself. */
static uint32_t copies_of(const finder *f, site *s)
{
    uint64_t all = (uint64_t) s->within->copies * s->most;
    s->unbounded =
        s->unbounded || s->most == OM_NONE || all > f->l->file->most || !is_bounded(f, s->within);
    return s->unbounded ? f->l->pool_size : (uint32_t) all;
}

/* Computes how many instances each `run` and each proctype may need, as a fixed point. */
static void count_copies(finder *f)
{
    pml_lowering *l = f->l;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < l->file->sites; i++) {
            site *s = &f->sites[i];
            pml_pool *p = &l->pools[i];
            if (s->run == NULL || s->within->copies == 0)
                continue;
            uint32_t count = copies_of(f, s);
            p->run = s->run;
            changed = changed || count != p->count || p->enough == s->unbounded;
            p->enough = !s->unbounded;
            p->once = p->enough && count == 1;
            s->run->process->copies += count - p->count;
            p->count = count;
        }
    }
}

static int name_of(pml_lowering *l, const pml_proctype *t, uint32_t copy, const char **out)
{
    om_text text = { .heap = l->file->region.heap };
    om_text_add(&text, t->name);
    if (t->copies > 1)
        om_text_printf(&text, ":%u", (unsigned) copy);
    *out = text.failed ? NULL : om_region_copy(&l->file->region, text.text, text.length);
    om_text_free(&text);
    return *out == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
}

static int add_instance(pml_lowering *l, pml_proctype *t, uint32_t *copies, uint32_t of)
{
    assert(l->instance_count < l->most_instances && copies[t->number] < t->copies); /* P4 */
    om_region *a = &l->file->region;
    pml_instance *i = &l->instances[l->instance_count];
    *i = (pml_instance){ .type = t, .number = l->instance_count++, .site = of };
    i->active = of == OM_NONE ? i->number : OM_NONE;
    i->places = om_region_take(a, (size_t) t->variable_count + 1, sizeof(pml_place *));
    i->enabled = om_region_take(a, t->graph->location_count, sizeof *i->enabled);
    i->blocked_enabled = om_region_take(a, t->graph->location_count, sizeof *i->blocked_enabled);
    i->stands = om_region_take(a, t->graph->location_count, sizeof *i->stands);
    if (i->places == NULL || i->enabled == NULL || i->blocked_enabled == NULL || i->stands == NULL)
        return om_fail_memory(l->file->ctx);
    i->stands[t->graph->start->location - 1] = true;
    return name_of(l, t, copies[t->number]++, &i->name);
}

static bool takes_channels(const pml_proctype *t)
{
    for (const pml_variable *v = t->variables; v != NULL && v->is_parameter; v = v->next)
        if (v->type == PML_CHAN)
            return true;
    return false;
}

/* Returns true if the `run` shares a pool with others of its proctype, so that equal states of SPIN
 * are equal vectors, regardless of which process started which. Channels that are passed mostly
 * differ from `run` to `run`, and are constants of it, which is worth more if the pool is small. */
static bool shares(const pml_pool *p)
{
    return !takes_channels(p->run->process) || pml_is_large(p);
}

/* Makes the `run`s of a proctype that share, and have no instances yet, share one pool. */
static void share(pml_lowering *l, const pml_proctype *t)
{
    pml_pool all = { .first = l->instance_count, .once = true, .enough = true };
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->file->sites; i++) {
        const pml_pool *p = &l->pools[i];
        if (p->count == 0 || p->seen || p->run->process != t || !shares(p))
            continue;
        all.count += p->count;
        all.enough = all.enough && p->enough;
        all.once = all.once && p->once;
        count++;
    }
    for (uint32_t i = 0; i < l->file->sites; i++) {
        pml_pool *p = &l->pools[i];
        if (p->count == 0 || p->seen || p->run->process != t || !shares(p))
            continue;
        p->first = all.first;
        p->count = all.count;
        p->enough = all.enough;
        p->once = all.once && count == 1;
        p->seen = true;
        p->mixed = count > 1;
    }
}

/* Adds active processes in the order of their definitions. The list of proctypes may be in another
 * order, because a `run` may name a proctype before its definition. */
static int add_active(pml_lowering *l, uint32_t *copies)
{
    const uint32_t units = l->file->units;
    pml_proctype **by_unit =
        om_region_take(&l->file->region, (size_t) units + 1, sizeof(pml_proctype *));
    int rc = by_unit == NULL ? om_fail_memory(l->file->ctx) : OM_OK;
    for (pml_proctype *t = l->file->proctypes; t != NULL && rc == OM_OK; t = t->next)
        by_unit[t->unit] = t;
    for (uint32_t unit = 0; unit < units && rc == OM_OK; unit++) {
        pml_proctype *t = by_unit[unit]; /* NULL for a claim */
        for (uint32_t k = 0; t != NULL && k < t->active && rc == OM_OK; k++)
            rc = add_instance(l, t, copies, OM_NONE);
    }
    return rc;
}

/* The active processes come first, so that their instance numbers are their process numbers. A
 * pool comes after the instances that fill it, as far as possible. */
static int add_instances(finder *f, uint32_t *copies)
{
    pml_lowering *l = f->l;
    int rc = add_active(l, copies);
    for (bool more = true; more && rc == OM_OK;) {
        more = false;
        for (uint32_t i = 0; i < l->file->sites && rc == OM_OK; i++) {
            pml_pool *p = &l->pools[i];
            if (p->count == 0 || p->seen || copies[f->sites[i].within->number] == 0)
                continue;
            more = true;
            if (shares(p))
                share(l, p->run->process);
            p->first = l->instance_count;
            p->seen = true;
            for (uint32_t k = 0; k < p->count && rc == OM_OK; k++)
                rc = add_instance(l, p->run->process, copies, i);
        }
    }
    return rc;
}

static uint64_t all_copies(const pml_lowering *l)
{
    uint64_t all = 0;
    for (const pml_proctype *t = l->file->proctypes; t != NULL; t = t->next)
        all += t->copies;
    return all;
}

/* Returns the number of channels that variables declare, `times` each. */
static uint64_t channels_of(const pml_variable *v, uint64_t times)
{
    uint64_t all = 0;
    for (; v != NULL; v = v->next) {
        const uint64_t each = times * (v->length == 0 ? 1 : v->length);
        all += v->structure != NULL ? channels_of(v->structure->fields, each)
               : v->channel != NULL ? each
                                    : 0;
    }
    return all;
}

/* Returns how often `each` fits in what `used` leaves of a limit. */
static uint64_t fitting(uint64_t limit, uint64_t used, uint64_t each)
{
    return each == 0 ? limit : used > limit ? 0 : (limit - used) / each;
}

/* Returns the next pool size to try: twice the size, or as much as the limits leave each pool; 0 if
 * that is not larger. */
static uint32_t larger_pool(const finder *f, uint64_t all)
{
    assert(all <= f->l->file->most);
    const uint32_t size = f->l->pool_size;
    uint64_t pools = 0, channels = channels_of(f->l->file->variables, 1), more_channels = 0;
    for (const pml_proctype *t = f->l->file->proctypes; t != NULL; t = t->next)
        channels += t->copies * channels_of(t->variables, 1);
    for (uint32_t i = 0; i < f->l->file->sites; i++) {
        const pml_pool *p = &f->l->pools[i];
        if (p->count == 0 || p->enough)
            continue;
        pools++;
        more_channels += channels_of(p->run->process->variables, 1);
    }
    if (pools == 0)
        return 0;
    const uint64_t processes = fitting(f->l->file->most, all, pools),
                   by_channels = fitting(f->l->file->most, channels, more_channels);
    const uint64_t more = processes < by_channels ? processes : by_channels;
    return more == 0 ? 0 : size + (uint32_t) (more < size ? more : size);
}

/* Not all processes that are ever started need to run at the same time: if there are too many,
 * pools are tried. */
static int check_runs(finder *f)
{
    uint64_t all = all_copies(f->l);
    if (all > f->l->file->most) {
        for (uint32_t i = 0; i < f->l->file->sites; i++)
            f->sites[i].unbounded = f->sites[i].unbounded || f->l->pools[i].count > 1;
        count_copies(f);
        all = all_copies(f->l);
    }
    for (uint32_t i = 0; i < f->l->file->sites; i++)
        if (all > f->l->file->most && f->l->pools[i].count > 1)
            return PML_REFUSE(f->l->file, f->l->pools[i].run->at,
                "more than %u processes may run: reduce the option \"pool\"",
                (unsigned) f->l->file->most);
    if (all > f->l->file->most)
        return PML_REFUSE(f->l->file, ((om_place){ f->l->file->file, 1, 1 }),
            "more than %u processes may run", (unsigned) f->l->file->most);
    f->l->most_instances = (uint32_t) all;
    f->l->larger_pool = larger_pool(f, all);
    return OM_OK;
}

int pml_make_instances(pml_lowering *l)
{
    om_region *a = &l->file->region;
    finder f = { .l = l };
    int rc = OM_OK;
    uint32_t *copies = om_region_take(a, l->file->proctype_count, sizeof *copies);
    f.sites = om_region_take(a, l->file->sites, sizeof *f.sites);
    l->pools = om_region_take(a, l->file->sites, sizeof *l->pools);
    if (f.sites == NULL || copies == NULL || l->pools == NULL)
        return om_fail_memory(l->file->ctx);
    for (pml_proctype *t = l->file->proctypes; t != NULL && rc == OM_OK; t = t->next) {
        t->copies = t->active;
        rc = pml_build_graph(l->file, t);
        if (rc == OM_OK)
            rc = find_sites(&f, t);
    }
    if (rc != OM_OK)
        return rc;
    count_copies(&f);
    rc = check_runs(&f);
    if (rc == OM_OK) {
        l->instances = om_region_take(a, l->most_instances, sizeof *l->instances);
        rc = l->instances == NULL ? om_fail_memory(l->file->ctx) : add_instances(&f, copies);
    }
    return rc;
}
