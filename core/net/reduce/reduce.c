/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the passes in turn and builds the reduced net. */
#include "reduction.h"

#include "expansion.h"
#include "extended.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BIT(keep) (1U << (keep))
#define ALL (BIT(OM_REDUCE_STEPS) | UP_TO_STUTTERING)
#define UP_TO_STUTTERING (BIT(OM_REDUCE_RUNS) | BIT(OM_REDUCE_REACHABLE) | BIT(OM_REDUCE_DEADLOCK))

static const om_reduce_pass PASSES[] = {
    { "dead", "Murata, Petri nets: properties, analysis and applications, 1989, V.C", ALL },
    { "constant", "Berthelot, Transformations and decompositions of nets, 1987, 4.2", ALL },
    { "unread", "Berthelot 1987, 4.2", ALL },
    { "proportional",
        "Berthelot 1987, 4.2; Recalde, Teruel, Silva, On linear algebraic techniques "
        "for liveness analysis of P/T systems, 1997",
        ALL },
    { "twins", "Berthelot 1987, 4.3", ALL },
    { "losing", "Thierry-Mieg, Structural reductions revisited, 2020, 4",
        BIT(OM_REDUCE_REACHABLE) },
    { "irrelevant", "Rakow, Safety slicing Petri nets, 2012", UP_TO_STUTTERING },
    { "post",
        "Berthelot 1987, 4.4; Haddad, Pradat-Peyre, New efficient Petri nets reductions for "
        "parallel programs verification, 2006",
        UP_TO_STUTTERING },
    { "pre", "Berthelot 1987, 4.4; Haddad, Pradat-Peyre 2006", UP_TO_STUTTERING },
    { "free", "Thierry-Mieg 2020, 4", BIT(OM_REDUCE_REACHABLE) },
    { "implied", "Berthelot 1987, 4.2; Recalde, Teruel, Silva 1997", ALL },
    { "symmetric", "Thierry-Mieg 2020, 4", ALL },
};
enum { PASS_COUNT = sizeof PASSES / sizeof *PASSES };

static uint64_t (*const RUN[PASS_COUNT])(om_work *w) = { om_reduce__dead, om_reduce__constant,
    om_reduce__unread, om_reduce__proportional, om_reduce__twins, om_reduce__losing,
    om_reduce__irrelevant, om_reduce__post, om_reduce__pre, om_reduce__free, om_reduce__implied,
    om_reduce__symmetric };
/* From here on each run of a pass visits the whole net: these run only if the others find
 * nothing. */
enum { FIRST_LATE = 10 };

struct om_reduction {
    const om_net *net;
    om_net *reduced;
    om_pieces pieces;
    uint8_t *observed;    /* by place of the original net */
    uint32_t *transition; /* by transition of the reduced net: its piece */
    om_net_image *images;
    om_net_term *terms; /* of the images: one for each place */
    om_reduce_figures figures[PASS_COUNT];
};

const om_reduce_pass *om_reduce_passes(size_t *count)
{
    *count = PASS_COUNT;
    return PASSES;
}

void om_reduction_free(om_reduction *r)
{
    if (r == NULL)
        return;
    const om_heap *heap = r->net->region.heap;
    om_net_free(r->reduced);
    OM_FREE_ALL(
        heap, r->pieces.list, r->pieces.begin, r->observed, r->transition, r->images, r->terms, r);
}

const om_net *om_reduction_net(const om_reduction *r)
{
    return r->reduced;
}

const om_net_image *om_reduction_images(const om_reduction *r)
{
    return r->images;
}

const om_reduce_figures *om_reduction_figures(const om_reduction *r)
{
    return r->figures;
}

int om_reduction_expand(const om_reduction *r, const om_firings *reduced, om_firings *out)
{
    return om_net__expand(r->net, &r->pieces, r->transition, r->observed, reduced, out);
}

/* ---- passes ---- */

/* Runs a pass and updates its figures. Returns true if it changed something. */
static bool run_pass(om_work *w, size_t i, om_reduce_figures *f)
{
    const uint32_t places = w->live_places, transitions = w->live_transitions;
    const uint64_t times = RUN[i](w);
    f->times += times;
    f->places += places - w->live_places;
    if (w->live_transitions < transitions)
        f->transitions += transitions - w->live_transitions;
    return times != 0;
}

static void run_passes(om_work *w, const om_reduce_options *options, om_reduce_figures *figures)
{
    bool any = true;
    while (any && om_work__go_on(w, w->net->place_count)) {
        any = false;
        for (size_t i = 0; i < PASS_COUNT; i++)
            if ((PASSES[i].keeps & BIT(options->keep)) != 0 && (options->leave_out >> i & 1) == 0 &&
                !(any && i >= FIRST_LATE) && om_work__go_on(w, 0))
                any = run_pass(w, i, &figures[i]) || any;
    }
}

/* ---- the reduced net ---- */

/* Allocates the tables of the reduced net and of the reduction. */
static bool take_room(om_reduction *r, const om_work *w)
{
    om_net *n = r->reduced;
    om_region *region = &n->region;
    n->place_count = n->place_node_count = w->live_places;
    n->transition_count = n->transition_node_count = w->live_transitions;
    n->places = om_region_take(region, (size_t) n->place_count + 1, sizeof *n->places);
    n->place_nodes = om_region_take(region, (size_t) n->place_count + 1, sizeof *n->place_nodes);
    n->transitions =
        om_region_take(region, (size_t) n->transition_count + 1, sizeof *n->transitions);
    n->transition_nodes =
        om_region_take(region, (size_t) n->transition_count + 1, sizeof *n->transition_nodes);
    return n->places != NULL && n->place_nodes != NULL && n->transitions != NULL &&
           n->transition_nodes != NULL &&
           OM_NEW(w->heap, r->transition, (size_t) n->transition_count + 1) &&
           OM_NEW(w->heap, r->images, (size_t) w->net->place_count + 1) &&
           OM_NEW(w->heap, r->terms, (size_t) w->net->place_count + 1);
}

/* Adds the remaining places; the image of each is its new number. */
static void put_places(om_reduction *r, const om_work *w)
{
    const om_net *from = w->net;
    uint32_t n = 0;
    for (uint32_t p = 0; p < from->place_count; p++) {
        if (w->places[p].removed)
            continue;
        const om_net_node *node = &from->place_nodes[from->places[p].node];
        r->reduced->places[n] = (om_net_place){ .node = n,
            .initial = w->places[p].tokens,
            .bound = w->places[p].bound,
            .colour = from->places[p].colour };
        r->reduced->place_nodes[n] = (om_net_node){
            .id = node->id, .name = node->name, .pos = node->pos, .first = n, .count = 1
        };
        r->terms[p] = (om_net_term){ n, 1 };
        r->images[p] = (om_net_image){ .terms = &r->terms[p], .count = 1 };
        n++;
    }
}

/* Sets the images of removed places, the last one first: the images that they refer to are known
 * then. */
static void put_images(om_reduction *r, const om_work *w)
{
    for (size_t i = w->removed_count; i-- > 0;) {
        const om_removed_place *g = &w->removed[i];
        om_net_image *image = &r->images[g->place];
        *image = (om_net_image){ .constant = g->constant };
        if (g->by == OM_NONE)
            continue;
        const om_net_image *by = &r->images[g->by];
        image->constant += g->factor * by->constant;
        image->terms = &r->terms[g->place];
        image->count = by->count;
        if (by->count == 1)
            r->terms[g->place] = (om_net_term){ by->terms->place, by->terms->factor * g->factor };
    }
}

static om_net_arc *copy_arcs(
    om_reduction *r, const om_net_arc *arcs, uint32_t count, const om_net_term *terms)
{
    om_net_arc *list = om_region_take(&r->reduced->region, (size_t) count + 1, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++)
        list[i] = (om_net_arc){ terms[arcs[i].place].place, arcs[i].count };
    return list;
}

static bool put_transitions(om_reduction *r, const om_work *w)
{
    uint32_t n = 0;
    bool fits = true;
    for (size_t t = 0; t < w->transition_count && fits; t++) {
        const om_work_transition *from = &w->transitions[t];
        if (from->removed)
            continue;
        char name[16];
        const int length = snprintf(name, sizeof name, "t%" PRIu32, n);
        const char *id = om_region_copy(&r->reduced->region, name, (size_t) length);
        const om_net_arc *takes = copy_arcs(r, from->takes, from->take_count, r->terms);
        const om_net_arc *gives = copy_arcs(r, from->gives, from->give_count, r->terms);
        fits = id != NULL && takes != NULL && gives != NULL;
        r->reduced->transition_nodes[n] = (om_net_node){ .id = id, .first = n, .count = 1 };
        r->reduced->transitions[n] = (om_net_transition){ .node = n,
            .takes = takes,
            .gives = gives,
            .take_count = from->take_count,
            .give_count = from->give_count };
        r->transition[n++] = from->piece;
    }
    return fits;
}

/* Copies limits and resets of a net that is not plain. It is unchanged: places and transitions keep
 * their numbers. */
static void put_extensions(om_reduction *r)
{
    for (uint32_t t = 0; t < r->net->transition_count; t++) {
        const om_net_transition *from = &r->net->transitions[t];
        om_net_transition *to = &r->reduced->transitions[t];
        to->limits = from->limits;
        to->resets = from->resets;
        to->limit_count = from->limit_count;
        to->reset_count = from->reset_count;
    }
}

static int put(om_reduction *r, om_work *w)
{
    int rc = om_net_new(&r->reduced, w->ctx, w->net->file != NULL ? w->net->file : "");
    if (rc != OM_OK)
        return rc;
    if (!take_room(r, w))
        return om_fail_memory(w->ctx);
    r->reduced->name = w->net->name;
    put_places(r, w);
    /* Arcs refer to remaining places: put_images() does not change their terms. */
    if (!put_transitions(r, w))
        return om_fail_memory(w->ctx);
    put_images(r, w);
    if (!w->plain)
        put_extensions(r);
    r->pieces = (om_pieces){ w->pieces, w->begin, w->piece_count, w->begin_count };
    w->pieces = NULL;
    w->begin = NULL;
    return OM_OK;
}

int om_net_reduce(om_reduction **out, const om_net *net, const uint8_t *observed,
    const om_reduce_options *options)
{
    const om_heap *heap = net->region.heap;
    om_work w;
    om_reduction *r = om_alloc(heap, 1, sizeof *r);
    if (r == NULL)
        return om_fail_memory(net->ctx);
    r->net = net;
    r->observed = om_alloc(heap, (size_t) net->place_count + 1, sizeof *r->observed);
    if (r->observed != NULL && options->keep != OM_REDUCE_DEADLOCK)
        memcpy(r->observed, observed, net->place_count);
    int rc = r->observed == NULL ? om_fail_memory(net->ctx) : OM_OK;
    if (rc == OM_OK) {
        rc = om_work__make(&w, net, r->observed, options->keep);
        w.until_ns = options->until_ns;
        if (rc == OM_OK && w.plain)
            run_passes(&w, options, r->figures);
        rc = w.status;
        if (rc == OM_OK)
            rc = put(r, &w);
        om_work__free(&w);
    }
    if (rc == OM_OK)
        *out = r;
    else
        om_reduction_free(r);
    return rc;
}
