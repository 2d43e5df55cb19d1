/* SPDX-License-Identifier: Apache-2.0 */
/* Why a run violates its property: takes apart the run that the referee has accepted. */
#include "parts.h"

#include "explain_formula.h"
#include "referee/fair.h"
#include "referee/labels.h"
#include "property/property.h"
#include "schedule/supervise.h"
#include "verdict/verdict.h"

#include <string.h>

enum { APS = 64 };

const char *om_explained_name(om_explained kind)
{
    static const char *const names[] = { [OM_EXPLAINED_FORMULA] = "formula",
        [OM_EXPLAINED_AUTOMATON] = "automaton",
        [OM_EXPLAINED_NON_PROGRESS] = "non-progress",
        [OM_EXPLAINED_INVARIANT] = "invariant",
        [OM_EXPLAINED_ASSERTION] = "assertion",
        [OM_EXPLAINED_DEADLOCK] = "deadlock" };
    return (size_t) kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* An explanation under construction. */
typedef struct maker {
    om_context *ctx;
    om_model *m;
    const om_lasso *run;
    om_explanation *out;
} maker;

/* ---- rows ---- */

static om_explained_row *add_row(const maker *k, size_t more)
{
    om_explained_row *rows =
        om_resize(k->out->heap, k->out->rows, k->out->row_count + more, sizeof *rows);
    if (rows == NULL)
        return NULL;
    k->out->rows = rows;
    return rows + k->out->row_count;
}

/* Takes ownership of the bytes of the rows. */
static int add_rows(const maker *k, const om_ltl *l, om_ltl_rows *rows, bool assumption)
{
    om_explained_row *to = add_row(k, rows->count);
    if (to == NULL)
        return om_fail_memory(k->ctx);
    for (size_t i = 0; i < rows->count; i++) {
        om_text text = { .heap = k->out->heap };
        om_ltl_row *row = &rows->row[i];
        int rc = om_ltl_print(l, row->f, &text);
        if (rc != OM_OK) {
            om_text_free(&text);
            return rc;
        }
        to[i] = (om_explained_row){ text.text, row->depth, om_ltl_operator(l, row->f) == OM_LTL_AP,
            assumption, row->at };
        row->at = NULL;
        k->out->row_count++;
    }
    return OM_OK;
}

/* Adds the rows of a formula, for its truth in state `at`. */
static int explain(
    const maker *k, const om_ltl *l, om_ltl_ref f, const om_expr *aps, size_t at, bool assumption)
{
    const bool endless = k->run->loop != OM_NO_LOOP;
    om_label *labels = NULL;
    om_ltl_rows rows = { 0 };
    int rc = om_lasso__labels(k->ctx, k->run, k->m, aps, om_ltl_ap_count(l), &labels);
    if (rc == OM_OK && !endless && k->out->kind == OM_EXPLAINED_FORMULA)
        rc = om_ltl__explain_prefix(l, f, labels, k->run->count, &rows, &k->out->beyond);
    else if (rc == OM_OK)
        rc = om_ltl__explain(
            l, f, labels, k->run->count, endless ? k->run->loop : k->run->count - 1, at, &rows);
    if (rc == OM_OK)
        rc = add_rows(k, l, &rows, assumption);
    om_ltl__rows_free(&rows);
    om_free(om_context_heap(k->ctx), labels);
    return rc;
}

/* Adds one row, for an expression that is a proposition. */
static int add_proposition(const maker *k, om_expr e, const char *name, bool matters)
{
    om_label *labels = NULL;
    const size_t n = k->run->count;
    om_explained_row row = { .proposition = true };
    int rc = om_lasso__labels(k->ctx, k->run, k->m, &e, 1, &labels);
    if (rc != OM_OK)
        return rc;
    row.text = om_strdup(k->out->heap, name);
    row.at = om_alloc(k->out->heap, n, 1);
    om_explained_row *to = add_row(k, 1);
    if (row.text == NULL || row.at == NULL || to == NULL) {
        om_free(k->out->heap, row.text);
        om_free(k->out->heap, row.at);
        rc = om_fail_memory(k->ctx);
    } else {
        for (size_t i = 0; i < n; i++)
            row.at[i] = labels[i] & OM_EXPLAINED_TRUE;
        row.at[n - 1] |= matters ? OM_EXPLAINED_MATTERS : 0;
        *to = row;
        k->out->row_count++;
    }
    om_free(om_context_heap(k->ctx), labels);
    return rc;
}

/* ---- kinds ---- */

/* Explains a condition that is false in the last state: takes it apart if possible; each part has a
 * value in each state. */
static int explain_condition(const maker *k, om_expr condition, const char *name)
{
    om_expr aps[APS];
    om_ltl *l = NULL;
    om_ltl_ref f = 0;
    int rc = om_ltl_new(&l, k->ctx);
    if (rc == OM_OK)
        rc = om_explain__take_apart(k->m, condition, l, aps, &f);
    if (rc == OM_OK)
        rc = explain(k, l, f, aps, k->run->count - 1, false);
    om_ltl_free(l);
    if (rc == OM_ENOMEM)
        return om_fail_memory(k->ctx);
    if (rc != OM_EUNSUPPORTED && rc != OM_EINPUT)
        return rc;
    om_context_clear(k->ctx);
    return add_proposition(k, condition, name, true);
}

static int explain_progress(const maker *k, om_expr progress)
{
    om_text name = { .heap = k->out->heap };
    om_ltl *l = NULL;
    int rc = om_ltl_new(&l, k->ctx);
    if (rc != OM_OK)
        return rc;
    om_explain__put_expression(k->m, progress, &name);
    om_ltl_ref f = name.failed ? 0 : om_ltl_ap_ref(l, name.text);
    f = f == 0 ? 0 : om_ltl_make(l, OM_LTL_FINALLY, f, 0);
    f = f == 0 ? 0 : om_ltl_make(l, OM_LTL_GLOBALLY, f, 0);
    rc = f == 0 ? om_fail_memory(k->ctx) : explain(k, l, f, &progress, 0, false);
    om_text_free(&name);
    om_ltl_free(l);
    return rc;
}

static int explain_automaton(const maker *k, const om_obligation *o)
{
    om_label *labels = NULL;
    int rc = OM_OK;
    for (uint32_t i = 0; rc == OM_OK && i < om_automaton_ap_count(o->forbidden); i++)
        rc = add_proposition(k, o->aps[i], om_automaton_ap(o->forbidden, i), false);
    if (rc == OM_OK)
        rc = om_lasso__labels(k->ctx, k->run, k->m, o->aps, o->ap_count, &labels);
    if (rc == OM_OK)
        rc = om_explain__accepted(k->ctx, o->forbidden, labels, k->run->count,
            k->run->loop == OM_NO_LOOP ? k->run->count - 1 : k->run->loop, k->out);
    om_free(om_context_heap(k->ctx), labels);
    return rc;
}

/* Explains the first assertion that fails in the last state; the referee has checked that there is
 * one. */
static int explain_assertion(const maker *k)
{
    for (uint32_t i = 0; i < om_model_assertion_count(k->m); i++) {
        const om_assertion *a = om_model_assertion(k->m, i);
        om_label *labels = NULL;
        int rc = om_lasso__labels(k->ctx, k->run, k->m, &a->condition, 1, &labels);
        const bool fails = rc == OM_OK && (labels[k->run->count - 1] & 1) == 0;
        om_free(om_context_heap(k->ctx), labels);
        if (rc != OM_OK || fails)
            return rc != OM_OK ? rc : explain_condition(k, a->condition, a->text);
    }
    return OM_OK;
}

static om_explained kind_of(const om_target *t)
{
    const om_obligation *o = &t->obligation;
    return o->ltl != NULL      ? OM_EXPLAINED_FORMULA
           : o->invariant != 0 ? OM_EXPLAINED_INVARIANT
           : o->assertion      ? OM_EXPLAINED_ASSERTION
           : o->deadlock       ? OM_EXPLAINED_DEADLOCK
           : t->ends_apart     ? OM_EXPLAINED_NON_PROGRESS
                               : OM_EXPLAINED_AUTOMATON;
}

static int explain_target(const maker *k, const om_target *t)
{
    const om_obligation *o = &t->obligation;
    switch (k->out->kind) {
    case OM_EXPLAINED_FORMULA:
        return explain(k, o->ltl, o->formula, o->ltl_aps, 0, false);
    case OM_EXPLAINED_NON_PROGRESS:
        return explain_progress(k, t->aps[0]);
    case OM_EXPLAINED_INVARIANT:
        return explain_condition(k, o->invariant, t->name);
    case OM_EXPLAINED_ASSERTION:
        return explain_assertion(k);
    case OM_EXPLAINED_DEADLOCK:
        return om_explain__blocked(k->ctx, k->m, k->run, k->out);
    default:
        return explain_automaton(k, o);
    }
}

/* ---- assumptions ---- */

static int explain_processes(const maker *k)
{
    const uint32_t count = om_model_process_count(k->m);
    om_lasso_process *of = NULL;
    int rc = om_lasso__processes(k->ctx, k->run, k->m, &of);
    if (rc == OM_OK)
        k->out->processes = om_alloc(k->out->heap, count, sizeof *k->out->processes);
    if (rc == OM_OK && k->out->processes == NULL)
        rc = om_fail_memory(k->ctx);
    for (uint32_t i = 0; rc == OM_OK && i < count; i++)
        k->out->processes[k->out->process_count++] =
            (om_explained_process){ om_model_process(k->m, i)->name, of[i].able, of[i].moves };
    om_free(om_context_heap(k->ctx), of);
    return rc;
}

static int explain_fairness(const maker *k, const om_obligation *o)
{
    if (k->run->loop == OM_NO_LOOP)
        return OM_OK;
    int rc = o->fairness == OM_FAIRNESS_NONE ? OM_OK : explain_processes(k);
    if (rc == OM_OK && o->fair_ltl != NULL)
        rc = explain(k, o->fair_ltl, o->fair, o->fair_aps, 0, true);
    return rc;
}

/* ---- the explanation as a whole ---- */

int om_explain(
    om_plan *p, om_property_kind kind, const char *text, const om_lasso *run, om_explanation *out)
{
    const om_plan_options saved = p->options;
    const maker k = { p->ctx, p->model, run, out };
    om_target t = { 0 };
    if (kind == OM_PROPERTY_FAULT)
        return om_fail(p->ctx, OM_EUSAGE, NULL,
            "the run ends with an error in the model: its place is the only explanation");
    *out = (om_explanation){
        .heap = p->heap, .count = run->count, .loop = run->loop, .bad_prefix = run->bad_prefix
    };
    int rc = om_plan__begin(p, false);
    if (rc != OM_OK)
        return rc;
    om_plan__take_fairness(p, run);
    rc = om_plan__referee_target(p, kind, text, run, &t);
    if (rc == OM_OK) {
        out->kind = kind_of(&t);
        out->property = t.name;
        t.name = NULL;
        rc = explain_target(&k, &t);
    }
    if (rc == OM_OK)
        rc = explain_fairness(&k, &t.obligation);
    om_plan__target_free(p, &t);
    om_plan__end(p);
    p->options = saved;
    return rc;
}

void om_explanation_free(om_explanation *e)
{
    if (e->heap == NULL)
        return;
    for (size_t i = 0; i < e->row_count; i++) {
        om_free(e->heap, e->rows[i].text);
        om_free(e->heap, e->rows[i].at);
    }
    for (size_t i = 0; i < e->blocked_count; i++)
        om_free(e->heap, e->blocked[i].why);
    for (size_t i = 0; i < e->without_count; i++)
        om_free(e->heap, e->without[i].reason);
    om_free(e->heap, e->rows);
    om_free(e->heap, e->accepted);
    om_free(e->heap, e->processes);
    om_free(e->heap, e->blocked);
    om_free(e->heap, e->without);
    om_free(e->heap, e->property);
    *e = (om_explanation){ 0 };
}
