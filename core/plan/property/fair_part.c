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
#include "convert/rabin_streett.h"
#include "fairness.h"
#include "free_sets.h"
#include "schedule/attempt.h"

/* Prunes the automaton. If no SCC is strong, one set is enough. */
static int make_automata(om_plan *p, const om_automaton *a, om_part *part)
{
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
static int set_marks(const om_plan *p, om_attempt *t, const om_automaton *free, uint32_t own)
{
    const om_fair_sets *sets = t->part->fair;
    om_marks images[64];
    if (!om_automaton__free_images(free, own, t->automaton, images))
        return om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
            "checker %s takes no acceptance that can express fairness with new marks alone",
            t->checker->head.name);
    return om_fair__marks(
        p, sets, images, om_automaton_ap_count(t->automaton), &t->fairness, &t->movers);
}

/* Changes the marks if the checker requires it. */
static int convert(const om_plan *p, om_attempt *t, const om_automaton *free, uint32_t own,
    const om_conversion *how)
{
    int rc = OM_OK;
    t->automaton = free;
    if (how != NULL && (om_automaton_acceptance_classes(free) & t->checker->acceptance) == 0) {
        rc = how->convert(free, p->ctx, &t->owned);
        t->automaton = t->owned;
    }
    return rc == OM_OK ? set_marks(p, t, free, own) : rc;
}

int om_fair__normalise(const om_plan *p, const om_part *part, om_attempt *t)
{
    const om_conversion *how = NULL;
    om_automaton *buchi = NULL, *free = NULL;
    const uint64_t effort = om_plan__effort(&part->forms, t->checker->acceptance, &how);
    if (effort == UINT64_MAX)
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "checker %s takes no acceptance that the automaton can be converted to",
            t->checker->head.name);
    const bool copies = how != NULL && om_plan__copies(&part->forms, how->class);
    if (how != NULL) {
        om_plan__conversion_why(&part->forms, how, t->why);
        t->conversion = copies && how->class != OM_ACCEPT_STREETT ? "generalized Buchi" : how->name;
    }
    if (!copies)
        return convert(p, t, part->automaton, om_automaton_set_count(part->unfair), how);
    int rc = om_automaton_to_generalized_buchi(part->unfair, p->ctx, &buchi);
    if (rc == OM_OK)
        rc = om_automaton__with_free_sets(
            buchi, p->ctx, part->fair->count, part->fair->acc, part->fair->acc_length, &free);
    if (rc == OM_OK)
        rc = convert(p, t, free, om_automaton_set_count(buchi), how);
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
    om_plan *p, const om_automaton *a, const om_fair_sets *sets, const char *asked, om_part *part)
{
    part->plan = p;
    part->fair = sets;
    int rc = make_automata(p, a, part);
    return rc == OM_OK ? om_plan__make_part(p, part->owned, part->owned, OM_STRONG, asked, part)
                       : rc;
}

/* Makes the part with sets for all assumptions. OM_EUNSUPPORTED if there are too many, in the
 * automaton or in the form that the checker chosen by rank would get. */
static int part_with_marks(om_plan *p, const om_automaton *a, const char *asked, om_part *part)
{
    if (p->fair->marked.acc == NULL)
        return OM_EUNSUPPORTED;
    int rc = part_under(p, a, &p->fair->marked, asked, part);
    if (rc != OM_OK || !part->cpu.by_rank)
        return rc;
    om_attempt probe = { .part = part, .checker = part->cpu.checker };
    rc = om_plan__normalise(p, part, &probe);
    om_automaton_free(probe.owned);
    om_free(p->heap, probe.fairness);
    return rc;
}

/* Sets *out if the named checker handles movers itself. */
static int knows_movers(const om_plan *p, const char *asked, bool *out)
{
    om_attempt named = { 0 };
    int rc = asked == NULL ? OM_OK : om_plan__named_checker(p, asked, &named);
    *out = named.checker != NULL && (named.checker->product & OM_PRODUCT_FAIR_PROCESSES) != 0;
    return rc;
}

int om_fair__parts(om_plan *p, const om_automaton *a, om_part *parts, size_t *count)
{
    const char *asked = p->options.checker != NULL ? p->options.checker : p->options.strong;
    const bool processes = p->fair->unmarked.unmarked;
    om_strength strength = OM_NON_ACCEPTING;
    bool movers = false;
    int rc = om_plan__strength_of(p, a, &strength);
    if (rc != OM_OK || strength == OM_NON_ACCEPTING)
        return rc;
    *count = 1;
    rc = knows_movers(p, asked, &movers);
    if (rc == OM_OK)
        rc = processes && movers ? OM_EUNSUPPORTED : part_with_marks(p, a, asked, &parts[0]);
    if (rc != OM_EUNSUPPORTED || !processes)
        return rc;
    om_context_clear(p->ctx);
    om_plan__part_free(&parts[0]);
    if (!movers)
        om_note(p->ctx, OM_NOTE_VERBOSE, NULL,
            "too many acceptance sets: process fairness is checked by which process moves");
    return part_under(p, a, &p->fair->unmarked, asked, &parts[0]);
}
