/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explore --coverage: statements of the model that are never executed.
 *
 *  C1  The transitions that were fired, and the statements that never were, are different ones.
 *  C2  Each statement has at least one transition.
 */
#include "explore/exploration.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Orders transitions by place. All transitions of one place are one statement, of any process. */
static int compare_places(const void *a, const void *b)
{
    const om_transition *const *x = a, *const *y = b;
    const om_place *p = &(*x)->place, *q = &(*y)->place;
    int files = strcmp(p->file == NULL ? "" : p->file, q->file == NULL ? "" : q->file);
    return files != 0               ? files
           : p->line != q->line     ? (p->line < q->line ? -1 : 1)
           : p->column == q->column ? 0
           : p->column < q->column  ? -1
                                    : 1;
}

/* The query is an empty sum that never reaches its bound. Otherwise the exploration would end when
 * the last statement is seen, and the figures would be incomplete. */
int cli_explore_coverage(
    cli *c, om_plan *plan, const om_model *model, om_exploration *e, cli_coverage *out)
{
    om_query all = { .enough = INT64_MAX };
    const uint32_t count = om_model_transition_count(model);
    *out = (cli_coverage){ .model = model };
    out->fired = om_alloc(c->heap, (size_t) count + 1, sizeof *out->fired);
    if (out->fired == NULL)
        return om_fail_memory(c->ctx);
    om_survey survey = { .queries = &all, .query_count = 1, .fired = out->fired };
    int rc = om_plan_ask(plan, &survey, e);
    om_free(c->heap, all.transitions);
    return rc;
}

/* Finds the first transition of each statement that is never executed, sorted. *of: number of
 * all statements. Transitions without a place in the text are added by the front end and not
 * counted. */
static int never_done(
    cli *c, const cli_coverage *v, const om_transition ***out, size_t *count, size_t *of)
{
    const uint32_t most = om_model_transition_count(v->model);
    const om_transition **at = om_alloc(c->heap, (size_t) most + 1, sizeof(const om_transition *));
    const om_transition **done =
        om_alloc(c->heap, (size_t) most + 1, sizeof(const om_transition *));
    size_t all = 0, fired = 0;
    *count = *of = 0;
    *out = at;
    if (at == NULL || done == NULL) {
        om_free(c->heap, done);
        return om_fail_memory(c->ctx);
    }
    for (uint32_t i = 0; i < most; i++) {
        const om_transition *t = om_model_transition(v->model, i);
        if (t->place.line == 0)
            continue;
        at[all++] = t;
        if (v->fired[i])
            done[fired++] = t;
    }
    qsort(at, all, sizeof(const om_transition *), compare_places);
    qsort(done, fired, sizeof(const om_transition *), compare_places);
    for (size_t i = 0, k = 0; i < all; i++) {
        if (i > 0 && compare_places(&at[i - 1], &at[i]) == 0)
            continue;
        ++*of;
        while (k < fired && compare_places(&done[k], &at[i]) < 0)
            k++;
        if (k < fired && compare_places(&done[k], &at[i]) == 0)
            continue;
        assert(fired + *count < all); /* C1 */
        done[fired + *count] = at[i]; /* stored after `fired`, because `at` is still read */
        ++*count;
    }
    assert(*count <= *of && *of <= all); /* C2 */
    memcpy(at, done + fired, *count * sizeof(const om_transition *));
    om_free(c->heap, done);
    return OM_OK;
}

int cli_put_coverage(cli *c, const cli_coverage *v)
{
    const om_transition **at = NULL;
    size_t count = 0, of = 0;
    int rc = never_done(c, v, &at, &count, &of);
    if (rc == OM_OK)
        om_text_printf(&c->out, "never executed: %zu of %zu statements\n", count, of);
    for (size_t i = 0; i < count; i++)
        om_text_printf(&c->out, "  %s:%u:%u: %s\n",
            at[i]->place.file == NULL ? "" : at[i]->place.file, (unsigned) at[i]->place.line,
            (unsigned) at[i]->place.column, at[i]->label == NULL ? "" : at[i]->label);
    om_free(c->heap, at);
    return rc;
}

json_t *cli_coverage_json(cli *c, const cli_coverage *v)
{
    const om_transition **at = NULL;
    size_t count = 0, of = 0;
    if (v == NULL)
        return json_null();
    json_t *list = never_done(c, v, &at, &count, &of) == OM_OK ? json_array() : NULL;
    for (size_t i = 0; list != NULL && i < count; i++)
        (void) json_array_append_new(
            list, json_pack("{s:o, s:I, s:I, s:o}", "file", cli_text_json(at[i]->place.file),
                      "line", (json_int_t) at[i]->place.line, "column",
                      (json_int_t) at[i]->place.column, "label", cli_text_json(at[i]->label)));
    om_free(c->heap, at);
    return list == NULL
               ? NULL
               : json_pack("{s:I, s:o}", "statements", (json_int_t) of, "never_done", list);
}
