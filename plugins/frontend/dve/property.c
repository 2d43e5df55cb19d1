/* SPDX-License-Identifier: Apache-2.0 */
#include "lower.h"

#include <assert.h>
#include <string.h>

/*
 * The property process as a Buchi automaton of forbidden runs: its states are the automaton's
 * states, its guards the labels. Each distinct guard is one proposition; a guard "not (g)" is the
 * negated proposition of g.
 */

enum { MOST_APS = 64 };

typedef struct property {
    dve_file *file;
    om_model *model;
    const dve_process *process;
    uint32_t count;
    om_expr expr[MOST_APS];
    char *name[MOST_APS];
} property;

/* Returns the length of the space or comment that begins at s, before `end`; 0 if there is none. */
static size_t blank(const char *s, const char *end)
{
    const char *p = s;
    if (*s != '\0' && strchr(" \t\r\n\f\v\\", *s) != NULL)
        return 1;
    if (end - s < 2 || s[0] != '/' || (s[1] != '/' && s[1] != '*'))
        return 0;
    if (s[1] == '/')
        while (p < end && *p != '\n')
            p++;
    else
        for (p += 2; p < end && (p - s < 4 || p[-2] != '*' || p[-1] != '/');)
            p++;
    return (size_t) (p - s);
}

/* Copies the source of an expression without its outer parentheses; each run of blanks and
 * comments becomes one space. */
static int source_of(const dve_file *f, const dve_expr *e, char **out)
{
    om_text text = { .heap = f->region.heap };
    size_t i = e->begin + e->enclosed, end = e->end - e->enclosed;
    bool spaced = false;
    while (i < end) {
        size_t n = blank(f->text + i, f->text + end);
        i += n;
        if (n == 0) {
            if (spaced && text.length != 0)
                om_text_add(&text, " ");
            om_text_add_n(&text, f->text + i++, 1);
        }
        spaced = n != 0;
    }
    *out = text.text;
    return text.failed ? om_fail_memory(f->ctx) : OM_OK;
}

/* Returns in *out the proposition of this guard; equal guards share one. */
static int proposition(property *r, const dve_expr *e, uint32_t *out)
{
    dve_scope s = {
        .file = r->file, .model = r->model, .process = r->process, .origin = r->file->file
    };
    om_expr made = 0;
    int rc = dve_lower_expression(&s, e, &made);
    if (rc != OM_OK)
        return rc;
    for (*out = 0; *out < r->count; ++*out)
        if (r->expr[*out] == made) /* equal nodes are shared */
            return OM_OK;
    if (r->count == MOST_APS) {
        om_place place = dve_place(r->file, e->pos);
        return om_fail(r->file->ctx, OM_EUNSUPPORTED, &place,
            "the property has more than %d different guards", (int) MOST_APS);
    }
    r->expr[r->count] = made;
    rc = source_of(r->file, e, &r->name[r->count]);
    r->count++;
    return rc;
}

/* Turns the guard into one literal; a missing guard is true. */
static int label_of(property *r, const dve_expr *guard, om_cube *out)
{
    bool negated = false;
    uint32_t ap = 0;
    *out = (om_cube){ 0, 0 };
    while (guard != NULL && guard->kind == DVE_UNARY && guard->op == OM_OP_NOT) {
        negated = !negated;
        guard = guard->a;
    }
    int rc = guard == NULL ? OM_OK : proposition(r, guard, &ap);
    if (rc == OM_OK && guard != NULL)
        *(negated ? &out->neg : &out->pos) = UINT64_C(1) << ap;
    return rc;
}

static int check_transition(const dve_file *f, const dve_transition *t)
{
    om_place place = dve_place(f, t->pos);
    if (t->sync == DVE_NO_SYNC && t->effects == NULL)
        return OM_OK;
    return om_fail(f->ctx, OM_EUNSUPPORTED, &place,
        "the property process \"%s\" may only have guards, not %s", f->property->name,
        t->effects != NULL ? "effects" : "synchronisations");
}

static int add_edges(property *r, const om_cube *labels, om_automaton *a)
{
    uint32_t first = 0, i = 0;
    int rc = om_automaton_add_states(a, r->process->state_count, &first);
    if (rc == OM_OK)
        rc = om_automaton_add_initial(a, first + r->process->init.state->index);
    if (rc == OM_OK)
        rc = om_automaton_set_generalized_buchi(a, 1);
    for (const dve_transition *t = r->process->transitions; t != NULL && rc == OM_OK; t = t->next)
        rc = om_automaton_add_edge(a, first + t->from.state->index, first + t->to.state->index,
            t->from.state->accept ? 1 : 0, &labels[i++], 1);
    if (rc == OM_OK)
        rc = om_automaton_set_name(a, r->process->name);
    return rc == OM_OK ? om_automaton_finish(a) : rc;
}

static int build(property *r, om_cube *labels)
{
    om_automaton *a = NULL;
    uint32_t i = 0;
    int rc = OM_OK;
    for (const dve_transition *t = r->process->transitions; t != NULL && rc == OM_OK; t = t->next) {
        rc = check_transition(r->file, t);
        if (rc == OM_OK)
            rc = label_of(r, t->guard, &labels[i++]);
    }
    if (rc != OM_OK)
        return rc;
    assert(i == r->process->transition_count && r->count <= MOST_APS);
    rc = om_automaton_new(&a, r->file->ctx, r->count, (const char *const *) r->name);
    if (rc == OM_OK)
        rc = add_edges(r, labels, a);
    if (rc != OM_OK) {
        om_automaton_free(a);
        return rc;
    }
    return om_model_add_property(r->model, r->process->name, a, r->expr);
}

int dve_lower_property(dve_file *f, om_model *m)
{
    property r = { .file = f, .model = m, .process = f->property };
    om_cube *labels = om_alloc(f->region.heap, f->property->transition_count, sizeof *labels);
    int rc = labels == NULL ? om_fail_memory(f->ctx) : build(&r, labels);
    for (uint32_t i = 0; i < r.count; i++)
        om_free(f->region.heap, r.name[i]);
    om_free(f->region.heap, labels);
    return rc;
}
