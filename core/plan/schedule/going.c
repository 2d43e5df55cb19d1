/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule/going.h"

#include "model.h"
#include "form/proved.h"

#include <assert.h>

static const uint32_t orders_of[] = { [OM_SEARCH_AUTO] = OM_ORDER_ALL,
    [OM_SEARCH_BFS] = OM_ORDER_BREADTH,
    [OM_SEARCH_DFS] = OM_ORDER_DEPTH,
    [OM_SEARCH_BEST] = OM_ORDER_BEST,
    [OM_SEARCH_WALK] = OM_ORDER_WALK };

/* Creates a guide and adds it. `named`: it was asked for, so it must be able to help. */
static int add_guide(om_plan_going *g, const om_guide *guide, const char *options,
    const om_guide_spec *spec, bool named)
{
    om_guiding *to = &g->guides[g->going.guide_count];
    int64_t *values = NULL;
    assert(g->going.guide_count < OM_PLAN_GUIDES);
    to->run = om_alloc(g->heap, 1, guide->run_size + 1);
    if (to->run == NULL)
        return om_fail_memory(spec->ctx);
    int rc = om_plugin_options(spec->ctx, &guide->head, options, &values);
    if (rc == OM_OK)
        rc = guide->create(to->run, spec, values);
    om_free(g->heap, values);
    if (rc == OM_OK) {
        to->guide = guide;
        g->going.guide_count++;
        return OM_OK;
    }
    guide->destroy(to->run);
    om_free(g->heap, to->run);
    to->run = NULL;
    if (rc == OM_ENOMEM)
        return om_fail_memory(spec->ctx);
    if (rc != OM_EUNSUPPORTED)
        return rc;
    if (named)
        om_note(spec->ctx, OM_NOTE_NOTICE, NULL, "guide %s cannot help to find what is looked for",
            guide->head.name);
    return OM_OK;
}

/* Inserts a guide into a list of `count`, after those of the same or a higher rank. */
static void insert(const om_guide **guides, size_t count, const om_guide *guide)
{
    for (; count > 0 && guides[count - 1]->rank < guide->rank; count--)
        guides[count] = guides[count - 1];
    guides[count] = guide;
}

/* Lists the guides that have a rank (`steady`: only steady ones), the highest ranks first; returns
 * their number. */
static size_t ranked(const om_plan *p, bool steady, const om_guide *guides[OM_PLAN_GUIDES])
{
    size_t count = 0;
    /* A plan may have no registry: for explorations only. */
    const size_t all = p->registry == NULL ? 0 : om_registry_count(p->registry);
    for (size_t i = 0; i < all && count < OM_PLAN_GUIDES; i++) {
        const om_plugin *plugin = om_registry_entry(p->registry, i)->plugin;
        const om_guide *guide = (const om_guide *) (const void *) plugin;
        if (plugin != NULL && plugin->kind == OM_PLUGIN_GUIDE && guide->rank != 0 &&
            (guide->steady || !steady))
            insert(guides, count++, guide);
    }
    return count;
}

/* Adds all guides that have a rank. */
static int add_all(const om_plan *p, om_plan_going *g, const om_guide_spec *spec)
{
    const om_guide *guides[OM_PLAN_GUIDES];
    const size_t count = ranked(p, false, guides);
    int rc = OM_OK;
    for (size_t i = 0; i < count && rc == OM_OK; i++)
        rc = add_guide(g, guides[i], NULL, spec, false);
    return rc;
}

/* Adds the first steady guide that can help. */
static int add_one(const om_plan *p, om_plan_going *g, const om_guide_spec *spec)
{
    const om_guide *guides[OM_PLAN_GUIDES];
    const size_t count = ranked(p, true, guides);
    int rc = OM_OK;
    for (size_t i = 0; i < count && rc == OM_OK && g->going.guide_count == 0; i++)
        rc = add_guide(g, guides[i], NULL, spec, false);
    return rc;
}

static int add_named(
    const om_plan *p, const char *name, om_plan_going *g, const om_guide_spec *spec)
{
    const om_plugin *plugin = NULL;
    const char *options = NULL;
    const int rc = om_registry_find_with(p->registry, OM_PLUGIN_GUIDE, name, &plugin, &options);
    return rc == OM_OK ? add_guide(g, (const om_guide *) (const void *) plugin, options, spec, true)
                       : rc;
}

int om_plan__vet_guide(const om_plan *p, const om_plan_options *o, om_context *ctx)
{
    const om_plugin *plugin = NULL;
    const char *options = NULL;
    int64_t *values = NULL;
    if (o->guide == NULL)
        return OM_OK;
    if ((orders_of[o->search] & OM_ORDER_BEST) == 0)
        return om_fail(ctx, OM_EUSAGE, NULL,
            "a guide (%s) is for a best-first search: the orders must be auto or best", o->guide);
    int rc = om_registry_find_with(p->registry, OM_PLUGIN_GUIDE, o->guide, &plugin, &options);
    if (rc == OM_OK)
        rc = om_plugin_options(ctx, plugin, options, &values);
    om_free(om_context_heap(ctx), values);
    return rc;
}

/* Adds the failures of the searched model's assertions to the goals. (An assertion of the compact
 * form that bounds an open slot is no goal.) */
static int add_goals(const om_searched *s, om_guide_spec *spec, om_plan_going *out)
{
    const om_model *m = spec->model;
    const uint32_t assertions = om_model_assertion_count(m);
    size_t count = spec->goal_count;
    if (!OM_NEW(out->heap, out->goals, count + assertions))
        return om_fail_memory(spec->ctx);
    for (size_t i = 0; i < count; i++)
        out->goals[i] = spec->goals[i];
    for (uint32_t i = 0; i < assertions; i++)
        if (om_model__checks(m, i) && om_model__open_of(s->plan->model, i) == OM_NONE)
            out->goals[count++] = (om_goal){ om_model_assertion(m, i)->condition, false };
    spec->goals = out->goals;
    spec->goal_count = count;
    return OM_OK;
}

/* Fills in what each guide of the search is given; *best: they are used. */
static int prepare(const om_searched *s, const om_plan_options *o, om_guide_spec *spec,
    om_plan_going *out, bool *best)
{
    spec->size = sizeof *spec;
    spec->heap = om_context_heap(spec->ctx);
    spec->model = om_searched__model(s);
    spec->visible = om_model__visible(spec->model);
    *out = (om_plan_going){ .heap = spec->heap,
        .going = { .size = sizeof out->going, .orders = orders_of[o->search] } };
    out->going.guides = out->guides;
    *best = (out->going.orders & OM_ORDER_BEST) != 0;
    return om_plan__vet_guide(s->plan, o, spec->ctx);
}

int om_plan__go(
    const om_searched *s, const om_plan_options *o, om_guide_spec spec, om_plan_going *out)
{
    bool best;
    int rc = prepare(s, o, &spec, out, &best);
    if (rc == OM_OK && best)
        rc = add_goals(s, &spec, out);
    if (rc != OM_OK || !best)
        return rc;
    return o->guide != NULL ? add_named(s->plan, o->guide, out, &spec)
                            : add_all(s->plan, out, &spec);
}

int om_plan__order(
    const om_searched *s, const om_plan_options *o, om_guide_spec spec, om_plan_going *out)
{
    bool best;
    int rc = prepare(s, o, &spec, out, &best);
    if (rc != OM_OK || !best)
        return rc;
    rc = o->guide != NULL ? add_named(s->plan, o->guide, out, &spec) : add_one(s->plan, out, &spec);
    if (rc != OM_OK || out->going.guide_count == 0 || out->guides[0].guide->steady)
        return rc;
    om_note(spec.ctx, OM_NOTE_NOTICE, NULL,
        "guide %s is not used: its estimates cannot order the successors of a state", o->guide);
    om_plan__stop_going(out);
    return OM_OK;
}

void om_plan__stop_going(om_plan_going *g)
{
    for (size_t i = 0; i < g->going.guide_count; i++) {
        g->guides[i].guide->destroy(g->guides[i].run);
        om_free(g->heap, g->guides[i].run);
    }
    if (g->heap != NULL)
        om_free(g->heap, g->goals);
    *g = (om_plan_going){ 0 };
}

/* Appends the names of some guides. */
static void say_guides(const om_guide *const *guides, size_t count, om_text *out)
{
    for (size_t i = 0; i < count; i++)
        om_text_printf(out, "%s%s", i == 0 ? "" : ", ", guides[i]->head.name);
}

void om_plan__say_going(const om_plan *p, const om_plan_options *o, bool deep, om_text *out)
{
    static const char *const words[] = { [OM_SEARCH_AUTO] = "level by level, and deep by turns",
        [OM_SEARCH_BFS] = "level by level",
        [OM_SEARCH_DFS] = "depth-first",
        [OM_SEARCH_BEST] = "best-first",
        [OM_SEARCH_WALK] = "random walks" };
    const om_guide *guides[OM_PLAN_GUIDES];
    const bool best = (orders_of[o->search] & OM_ORDER_BEST) != 0;
    const size_t count = best && o->guide == NULL ? ranked(p, !deep, guides) : 0;
    if (deep)
        om_text_add(out, words[o->search]);
    if (!best || (o->guide == NULL && !deep && count == 0))
        return;
    om_text_add(
        out, deep ? " (guides: " : "successors that are near first, now and then (guides: ");
    if (o->guide != NULL)
        om_text_add(out, o->guide);
    say_guides(guides, count, out);
    om_text_add(out, ")");
}
