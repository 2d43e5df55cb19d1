/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a check under fairness. There is one part: the whole automaton, pruned of states that
 * accept nothing. It is strong. The part has the automaton in which the sets of fairness are free
 * (free_sets.h). As otherwise, a checker gets the form of acceptance that its descriptor asks for,
 * if other marks alone yield it. Conversions that copy states are done before the sets are added,
 * because a copy cannot exclude marks that are added later. So the property may have any
 * acceptance, but the Fin of fairness remains.
 *
 * If there are too many sets, those of processes are left out. Fairness to processes then depends
 * on the processes that move (fair_processes.h), with a checker that asks for that.
 */
#include "try.h"

#include "convert/rabin_streett.h"
#include "free_sets.h"

#include <assert.h>

/* Prunes the automaton. If no SCC is strong, one set is enough. */
static int make_automata(const om_automaton *a, om_part *part)
{
    const om_plan *p = part->try->plan;
    om_sccs sccs = { 0 };
    om_automaton *pruned = NULL;
    int rc = om_automaton_prune(a, p->ctx, &pruned);
    if (rc == OM_OK)
        rc = om_automaton_sccs(pruned, p->ctx, &sccs);
    if (rc == OM_OK && om_sccs_strength(&sccs) != OM_STRONG)
        rc = om_automaton__mark_sccs(pruned, p->ctx, &sccs, &part->unfair);
    else if (rc == OM_OK) {
        part->unfair = pruned;
        pruned = NULL;
    }
    om_sccs_free(&sccs, p->heap);
    om_automaton_free(pruned);
    if (rc == OM_OK)
        rc = om_automaton__with_free_sets(part->unfair, p->ctx, part->fair->count, part->fair->acc,
            part->fair->acc_length, &part->owned);
    return rc;
}

/* Makes the marks of an attempt. Its automaton was converted from `free`, in which the sets of
 * fairness start at index `own`. */
static int set_marks(om_attempt *t, const om_automaton *free, uint32_t own)
{
    const om_try *try = t->part->try;
    const om_fair_sets *sets = t->part->fair;
    om_marks images[64];
    assert(sets->acc != NULL && sets->count <= sizeof images / sizeof *images); /* F2 */
    assert(om_automaton_set_count(free) == own + sets->count);                  /* F4 */
    if (!om_automaton__free_images(free, own, t->automaton, images))
        return om_fail(try->plan->ctx, OM_EUNSUPPORTED, NULL,
            "checker %s takes no acceptance that can express fairness with new marks alone",
            t->checker->head.name);
    return om_fair__marks(
        try, sets, images, om_automaton_ap_count(t->automaton), &t->fairness, &t->fair_processes);
}

/* Changes the marks if the checker requires it. */
static int convert(om_attempt *t, const om_automaton *free, uint32_t own, const om_conversion *how)
{
    int rc = OM_OK;
    t->automaton = free;
    if (how != NULL && (om_automaton_acceptance_classes(free) & t->checker->acceptance) == 0) {
        rc = how->convert(free, t->part->try->plan->ctx, &t->owned);
        t->automaton = t->owned;
    }
    if (rc != OM_OK)
        return rc;
    assert((om_automaton_acceptance_classes(t->automaton) & t->checker->acceptance) != 0); /* C1 */
    return set_marks(t, free, own);
}

int om_fair__normalise(om_attempt *t)
{
    const om_part *part = t->part;
    const om_plan *p = part->try->plan;
    const om_conversion *how = NULL;
    om_automaton *buchi = NULL, *free = NULL;
    const uint64_t effort = om_plan__effort(&part->forms, t->checker->acceptance, &how);
    if (effort == UINT64_MAX)
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "checker %s takes no acceptance that the automaton can be converted to",
            t->checker->head.name);
    const bool copies = how != NULL && om_plan__copies(&part->forms, how->class);
    if (how != NULL) {
        t->how = how;
        t->conversion = copies && how->class != OM_ACCEPT_STREETT ? "generalized Buchi" : how->name;
    }
    if (!copies)
        return convert(t, part->automaton, om_automaton_set_count(part->unfair), how);
    int rc = om_automaton_to_generalized_buchi(part->unfair, p->ctx, &buchi);
    if (rc == OM_OK)
        rc = om_automaton__with_free_sets(
            buchi, p->ctx, part->fair->count, part->fair->acc, part->fair->acc_length, &free);
    if (rc == OM_OK)
        rc = convert(t, free, om_automaton_set_count(buchi), how);
    if (rc == OM_OK && t->owned == NULL) {
        t->owned = free;
        free = NULL;
    }
    om_automaton_free(free);
    om_automaton_free(buchi);
    return rc;
}

/* Makes the part with these sets of fairness. */
static int part_under(
    om_try *try, const om_automaton *a, const om_fair_sets *sets, const char *asked)
{
    om_part *part = &try->parts[0];
    assert(part->try == NULL && !try->target->trace); /* A1, T2 */
    try->part_count = 1;
    part->try = try;
    part->fair = sets;
    int rc = make_automata(a, part);
    return rc == OM_OK ? om_part__make(part->owned, part->owned, OM_STRONG, asked, part) : rc;
}

/* Makes the part with sets for all assumptions. OM_EUNSUPPORTED if there are too many, in the
 * automaton or in the form that the checker chosen by rank would get. */
static int part_with_marks(om_try *try, const om_automaton *a, const char *asked)
{
    om_part *part = &try->parts[0];
    if (try->fair->marked.acc == NULL)
        return OM_EUNSUPPORTED;
    int rc = part_under(try, a, &try->fair->marked, asked);
    if (rc != OM_OK || !part->cpu.by_rank)
        return rc;
    om_attempt probe = { .part = part, .checker = part->cpu.checker };
    rc = om_attempt__normalise(&probe);
    om_attempt__forget(&probe, try->plan->heap);
    return rc;
}

/* Sets *out if the named checker handles fairness to processes itself. */
static int knows_fair_processes(const om_plan *p, const char *asked, bool *out)
{
    om_attempt named = { 0 };
    int rc = asked == NULL ? OM_OK : om_attempt__name(p, asked, &named);
    *out = named.checker != NULL && (named.checker->product & OM_PRODUCT_FAIR_PROCESSES) != 0;
    return rc;
}

int om_fair__make_part(om_try *try, const om_automaton *a)
{
    const om_plan *p = try->plan;
    const char *asked = try->options.checker != NULL ? try->options.checker : try->options.strong;
    const bool processes = try->fair->unmarked.unmarked;
    om_strength strength = OM_NON_ACCEPTING;
    bool fair_processes = false;
    int rc = om_plan__strength_of(p, a, &strength);
    if (rc != OM_OK || strength == OM_NON_ACCEPTING)
        return rc;
    rc = knows_fair_processes(p, asked, &fair_processes);
    if (rc == OM_OK)
        rc = processes && fair_processes ? OM_EUNSUPPORTED : part_with_marks(try, a, asked);
    if (rc != OM_EUNSUPPORTED || !processes)
        return rc;
    om_context_clear(p->ctx);
    om_part__free(&try->parts[0]);
    if (!fair_processes)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "too many acceptance sets: process fairness is checked by which process moves");
    return part_under(try, a, &try->fair->unmarked, asked);
}
