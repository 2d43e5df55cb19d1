/* SPDX-License-Identifier: Apache-2.0 */
/* Translates a property of the user to an automaton of forbidden runs and an obligation for the
 * referee. */
#include "target.h"

#include "convert/visible.h"
#include "formula.h"
#include "relativise.h"
#include "supervise.h"

#include <assert.h>
#include <string.h>

enum { FORMULA_BYTES = 1 << 24 };
/* The proposition that holds in the states that properties see. No language permits such a name. */
static const char VISIBLE[] = "visible state";
static const char blanks[] = " \t\r\n\v\f";

void om_plan__target_free(const om_plan *p, om_target *t)
{
    OM_FREE_ALL(p->heap, t->name, t->aps, t->ltl_aps);
    om_ltl_free(t->ltl);
    om_automaton_free(t->owned);
    om_automaton_free(t->allowed);
    om_free(p->heap, t->allowed_aps);
    om_fair__free(p, &t->fair);
    *t = (om_target){ 0 };
}

/* Returns the expression of the formula's proposition of that name, or 0. */
static om_expr ltl_ap(const om_target *t, const char *name)
{
    uint32_t count = t->ltl == NULL ? 0 : om_ltl_ap_count(t->ltl);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(om_ltl_ap_name(t->ltl, i), name) == 0)
            return t->ltl_aps[i];
    return 0;
}

/* Reads the APs of the automaton, by name. Those of the formula are reused, because reading one
 * twice would repeat its warnings. */
static int read_aps(om_plan *p, om_target *t, const char *file)
{
    t->ap_count = om_automaton_ap_count(t->automaton);
    if (!OM_NEW(p->heap, t->aps, t->ap_count))
        return om_fail_memory(p->ctx);
    for (uint32_t i = 0; i < t->ap_count; i++) {
        uint32_t line = 0, column = 0;
        const char *name = om_automaton_ap(t->automaton, i);
        om_automaton_ap_place(t->automaton, i, &line, &column);
        t->aps[i] = ltl_ap(t, name);
        int rc = t->aps[i] != 0 ? OM_OK : om_plan__read_ap(p, file, line, column, name, &t->aps[i]);
        if (rc != OM_OK)
            return rc;
    }
    return OM_OK;
}

/* ---- LTL ---- */

static int translate(om_plan *p, om_target *t)
{
    om_ltl_ref negated = om_ltl_make(t->ltl, OM_LTL_NOT, t->obligation.formula, 0);
    if (t->assumed != 0)
        negated = om_ltl_make(t->ltl, OM_LTL_AND, t->assumed, negated);
    int rc = negated == 0 ? om_fail_memory(p->ctx)
                          : om_translate(p->ctx, p->registry, t->options->translator, t->ltl,
                                negated, &t->owned);
    t->automaton = t->owned;
    return rc;
}

/* Restricts the formula to the states that properties see. */
static int see_ltl(om_plan *p, om_target *t)
{
    const om_expr visible = om_model__visible(p->model);
    if (visible == 0)
        return OM_OK;
    const om_ltl_ref ap = om_ltl_ap_ref(t->ltl, VISIBLE);
    if (ap == 0)
        return om_fail(p->ctx, OM_EUNSUPPORTED, NULL,
            "the formula has 64 propositions: one more is needed for states of the model that "
            "properties do not see");
    t->ltl_aps[om_ltl_left(t->ltl, ap)] = visible;
    return om_ltl__relativise(t->ltl, t->obligation.formula, ap, &t->obligation.formula);
}

/* Reads the formula without the translation, which may take long, so that errors are found first.
 * `own`: the formula is the model's, in the grammar of om_ltl_parse(). */
static int target_ltl(
    om_plan *p, const char *file, const char *text, size_t length, bool own, om_target *t)
{
    int rc = om_ltl_new(&t->ltl, p->ctx);
    if (rc == OM_OK)
        rc = own ? om_ltl_parse(t->ltl, file, text, length, &t->obligation.formula)
                 : om_plan__parse_formula(p, t->ltl, file, text, length, &t->obligation.formula);
    if (rc != OM_OK)
        return rc;
    rc = om_plan__read_ltl_aps(p, file, t->ltl, 0, &t->ltl_aps);
    if (rc == OM_OK)
        rc = see_ltl(p, t);
    t->obligation.ltl = t->ltl;
    t->obligation.ltl_aps = t->ltl_aps;
    return rc;
}

/* Finds the APs of the translation among those of the formula. */
static int find_aps(om_plan *p, om_target *t)
{
    t->ap_count = om_automaton_ap_count(t->automaton);
    return om_plan__aps_of(p, t, t->automaton, &t->aps);
}

/* Names the property by its text, on one line. */
static int name_by_text(const om_plan *p, const char *text, size_t length, om_target *t)
{
    size_t start = 0;
    while (start < length && strchr(blanks, text[start]) != NULL)
        start++;
    while (length > start && strchr(blanks, text[length - 1]) != NULL)
        length--;
    om_free(p->heap, t->name);
    t->name = om_strndup(p->heap, text + start, length - start);
    if (t->name == NULL)
        return om_fail_memory(p->ctx);
    for (char *c = t->name; *c != '\0'; c++)
        if (strchr(blanks, *c) != NULL)
            *c = ' ';
    return OM_OK;
}

/* Reads a file with one formula. */
static int target_ltl_file(om_plan *p, const char *path, om_target *t)
{
    char *text = NULL;
    size_t length = 0;
    int rc = om_read_file(p->ctx, path, FORMULA_BYTES, &text, &length);
    if (rc == OM_OK)
        rc = name_by_text(p, text, length, t);
    if (rc == OM_OK)
        rc = target_ltl(p, path, text, length, false, t);
    om_free(p->heap, text);
    return rc;
}

/* ---- properties of the model ---- */

static int target_own(om_plan *p, const om_property *own, om_target *t)
{
    if (own->automaton == NULL)
        return target_ltl(p, own->name, own->formula, strlen(own->formula), true, t);
    t->automaton = own->automaton;
    t->ap_count = om_automaton_ap_count(own->automaton);
    if (!OM_NEW(p->heap, t->aps, t->ap_count))
        return om_fail_memory(p->ctx);
    if (t->ap_count != 0)
        memcpy(t->aps, own->aps, t->ap_count * sizeof *t->aps);
    return OM_OK;
}

static int target_named(om_plan *p, const char *name, om_target *t)
{
    const char *names[64];
    size_t count = 0;
    for (uint32_t i = 0; i < om_model_property_count(p->model); i++) {
        const om_property *own = om_model_property(p->model, i);
        if (strcmp(own->name, name) == 0)
            return target_own(p, own, t);
        if (count < sizeof names / sizeof *names)
            names[count++] = own->name;
    }
    if (count == 0)
        return om_fail(p->ctx, OM_EUSAGE, NULL, "the model has no property of its own");
    const char *near = om_nearest(name, names, count);
    return om_fail(p->ctx, OM_EUSAGE, NULL, "the model has no property '%s'; did you mean '%s'?",
        name, near == NULL ? names[0] : near);
}

/* ---- properties of states ---- */

static int target_deadlock(om_plan *p, om_target *t)
{
    int rc = om_plan__forbid_ever(p, "deadlock", t);
    if (rc != OM_OK)
        return rc;
    t->aps[0] = om_expr_const(p->model, 0);
    t->deadlock_ap = 0;
    t->obligation.deadlock = true;
    return om_model_expr_check(p->model, NULL);
}

/* Looks for failed assertions only, which end every search. */
static int target_assertion(om_plan *p, om_target *t)
{
    int rc = om_plan__forbid_ever(p, "assertion", t);
    if (rc != OM_OK)
        return rc;
    t->aps[0] = om_expr_const(p->model, 0);
    t->obligation.assertion = true;
    return om_model_expr_check(p->model, NULL);
}

static int target_invariant(om_plan *p, const char *text, om_target *t)
{
    int rc = om_plan__read_ap(p, "invariant", 0, 0, text, &t->obligation.invariant);
    if (rc == OM_OK)
        rc = om_plan__forbid_ever(p, "violated", t);
    if (rc != OM_OK)
        return rc;
    if (om_model__visible(p->model) != 0)
        t->obligation.invariant = om_expr_binary(
            p->model, OM_OP_IMPLY, om_model__visible(p->model), t->obligation.invariant);
    t->bad = t->aps[0] = om_expr_unary(p->model, OM_OP_NOT, t->obligation.invariant);
    return om_model_expr_check(p->model, NULL);
}

/* ---- non-progress cycles ---- */

/* Adds the definition of progress to the property's name. */
static int name_with(const om_plan *p, const char *progress, om_target *t)
{
    om_text name = { .heap = p->heap };
    om_text_printf(&name, "%s (progress: %s)", t->name, progress);
    if (name.failed) {
        om_text_free(&name);
        return om_fail_memory(p->ctx);
    }
    om_free(p->heap, t->name);
    t->name = name.text;
    return OM_OK;
}

static int target_non_progress(om_plan *p, const char *text, om_target *t)
{
    om_expr progress = om_model__progress(p->model);
    int rc = text != NULL    ? om_plan__read_ap(p, "progress states", 0, 0, text, &progress)
             : progress != 0 ? OM_OK
                             : om_fail(p->ctx, OM_EUSAGE, NULL,
                                   "the model has no progress labels: name the progress states "
                                   "with --progress-states EXPR");
    if (rc == OM_OK && text != NULL)
        rc = name_with(p, text, t);
    if (rc == OM_OK)
        rc = om_plan__forbid_at_last_without(p, "progress", t);
    if (rc != OM_OK)
        return rc;
    t->aps[0] = progress;
    t->ends_apart = true;
    return OM_OK;
}

/* ---- all kinds ---- */

/* Returns the model's own property that is checked by default, or NULL. */
static const om_property *default_of(const om_plan *p)
{
    for (uint32_t i = 0; i < om_model_property_count(p->model); i++)
        if (!om_model_is_by_name(p->model, i))
            return om_model_property(p->model, i);
    return NULL;
}

static int fill(om_plan *p, om_property_kind kind, const char *text, om_target *t)
{
    int rc;
    switch (kind) {
    case OM_PROPERTY_LTL:
        return target_ltl(p, "LTL formula", text, strlen(text), false, t);
    case OM_PROPERTY_LTL_FILE:
        return target_ltl_file(p, text, t);
    case OM_PROPERTY_AUTOMATON:
        rc = om_automaton_read_file(&t->owned, p->ctx, text, 0);
        t->automaton = t->owned;
        return rc == OM_OK ? read_aps(p, t, text) : rc;
    case OM_PROPERTY_NAMED:
        return target_named(p, text, t);
    case OM_PROPERTY_DEADLOCK:
        return target_deadlock(p, t);
    case OM_PROPERTY_INVARIANT:
        return target_invariant(p, text, t);
    case OM_PROPERTY_NON_PROGRESS:
        return target_non_progress(p, text, t);
    case OM_PROPERTY_ASSERTION:
        return target_assertion(p, t);
    case OM_PROPERTY_FAULT:
        t->obligation.fault = OM_FAULT(OM_FAULT_ANY, 0);
        t->trace = true;
        return OM_OK;
    case OM_PROPERTY_DEFAULT:
        break;
    }
    const om_property *own = default_of(p);
    return own == NULL ? target_deadlock(p, t) : target_own(p, own, t);
}

static const char *name_of(const om_plan *p, om_property_kind kind, const char *text)
{
    if (kind == OM_PROPERTY_DEFAULT && default_of(p) != NULL)
        return default_of(p)->name;
    return kind == OM_PROPERTY_DEFAULT || kind == OM_PROPERTY_DEADLOCK ? "deadlock"
           : kind == OM_PROPERTY_ASSERTION                             ? "assertions"
           : kind == OM_PROPERTY_FAULT                                 ? "fault"
           : kind == OM_PROPERTY_NON_PROGRESS                          ? "non-progress"
                                                                       : text;
}

/* Returns OM_EUSAGE if a shortest lasso is requested and the property has none. */
static int vet_shortest(const om_plan *p, const om_target *t)
{
    if (t->options->shortest_ns != 0 && t->is_fair)
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "a shortest lasso was requested, but the search for one does not support fairness");
    return t->options->shortest_ns == 0 || !t->trace
               ? OM_OK
               : om_fail(p->ctx, OM_EUSAGE, NULL,
                     "a shortest lasso was requested, but a violation of '%s' is a finite trace "
                     "(already a shortest one with the default checker and --merge off)",
                     t->name);
}

int om_plan__read(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, om_target *t)
{
    bool needs = kind != OM_PROPERTY_DEFAULT && kind != OM_PROPERTY_DEADLOCK &&
                 kind != OM_PROPERTY_ASSERTION && kind != OM_PROPERTY_FAULT &&
                 kind != OM_PROPERTY_NON_PROGRESS;
    *t = (om_target){ .options = options, .deadlock_ap = OM_NONE };
    if (needs && text == NULL)
        return om_fail(p->ctx, OM_EINVAL, NULL, "a property of this kind needs a text");
    t->name = om_strdup(p->heap, name_of(p, kind, text));
    if (t->name == NULL)
        return om_fail_memory(p->ctx);
    int rc = fill(p, kind, text, t);
    if (rc == OM_OK)
        rc = om_fair__read_target(p, t);
    assert(!t->trace || !t->is_fair); /* T2 */
    return rc == OM_OK ? vet_shortest(p, t) : rc;
}

/* Restricts the automaton to the states that properties see. */
static int see_automaton(om_plan *p, om_target *t)
{
    om_automaton *made = NULL;
    om_expr *aps = om_alloc(p->heap, (size_t) t->ap_count + 1, sizeof *aps);
    int rc = aps == NULL ? om_fail_memory(p->ctx)
                         : om_automaton__visible(t->automaton, p->ctx, VISIBLE, &made);
    if (rc != OM_OK) {
        om_free(p->heap, aps);
        return rc;
    }
    memcpy(aps, t->aps, t->ap_count * sizeof *aps);
    aps[t->ap_count++] = om_model__visible(p->model);
    om_free(p->heap, t->aps);
    t->aps = aps;
    om_automaton_free(t->owned);
    t->automaton = t->owned = made;
    return OM_OK;
}

int om_plan__translate(om_plan *p, om_target *t)
{
    int rc = OM_OK;
    if (t->translated)
        return OM_OK;
    if (t->ltl != NULL) {
        rc = translate(p, t);
        if (rc == OM_OK)
            rc = find_aps(p, t);
    } else if (!t->trace && !t->ends_apart && om_model__visible(p->model) != 0)
        rc = see_automaton(p, t);
    if (rc == OM_OK)
        rc = om_fair__add_aps(p, t);
    if (rc != OM_OK)
        return rc;
    t->obligation.model = p->model;
    t->obligation.stutter = t->ends_apart ? t->options->stutter_non_progress
                                          : !t->options->ignore_finite_runs || t->trace;
    if (!t->trace) {
        t->obligation.forbidden = t->automaton;
        t->obligation.aps = t->aps;
        t->obligation.ap_count = t->ap_count;
        om_fair__oblige(p, t);
    }
    assert(t->automaton == NULL || t->ap_count == om_automaton_ap_count(t->automaton)); /* T1 */
    assert((t->deadlock_ap < t->ap_count) == t->obligation.deadlock);                   /* T3 */
    t->translated = true;
    return OM_OK;
}

/* ---- functions for hosts ---- */

int om_plan__read_and_translate(om_plan *p, const om_plan_options *options, om_property_kind kind,
    const char *text, om_target *t)
{
    int rc = om_plan__read(p, options, kind, text, t);
    return rc == OM_OK ? om_plan__translate(p, t) : rc;
}

int om_plan_read(om_target **out, om_plan *p, om_property_kind kind, const char *text)
{
    om_target *t = om_alloc(p->heap, 1, sizeof *t);
    if (t == NULL)
        return om_fail_memory(p->ctx);
    int rc = om_plan__begin(p, &p->options, false);
    if (rc == OM_OK) {
        rc = om_plan__read(p, &p->options, kind, text, t);
        om_plan__end(p);
    }
    if (rc != OM_OK) {
        om_target_free(p, t);
        return rc;
    }
    *out = t;
    return OM_OK;
}

void om_target_free(om_plan *p, om_target *t)
{
    if (t == NULL)
        return;
    om_plan__target_free(p, t);
    om_free(p->heap, t);
}
