/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SPIN numbers its elements through the whole file, in the order in which they are parsed: the
 * parts of a statement come before the statement. Every statement is an element; the further
 * elements are:
 *
 *   if, do     where the options meet; for a loop where they begin anew, and the target of `break`;
 *   unless     where its two sequences meet. Each of them is a sequence of its own: a block without
 *              a label is that sequence, any other statement is an element in it;
 *   goto, break  the `skip` before one at a label "accept...", "end..." or "progress...";
 *   a body     its end.
 *
 * A declaration after a statement is an assignment; `for` and `select` are the loops that they
 * stand for. If an expression is the first to name a label at a jump (P@label), the jump has been
 * parsed already: its element becomes the `skip`, and the jump gets a new one. A `skip` after
 * another in an option is removed, but keeps its number.
 */
#include "elements.h"

#include "text/lexer.h"

#include <string.h>

static void number_statement(pml_file *f, pml_statement *s);

static void number_sequence(pml_file *f, pml_statement *s)
{
    for (; s != NULL; s = s->next)
        number_statement(f, s);
}

bool pml_begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

bool pml_has_skip(const pml_statement *s)
{
    for (const pml_label *l = s->labels; l != NULL; l = l->next)
        if (pml_begins(l->name, "accept") || pml_begins(l->name, "end") ||
            pml_begins(l->name, "progress"))
            return true;
    return false;
}

/* ---- labels named in expressions ---- */

/* Of two statements with the same label, the first counts. */
static void add_labels(pml_file *f, const pml_proctype *t, pml_statement *s)
{
    for (; s != NULL; s = s->next) {
        for (const pml_label *l = s->labels; l != NULL; l = l->next)
            if (pml_index_get(&f->labels, l->name, strlen(l->name), t) == NULL)
                f->out_of_memory |= !pml_index_put(&f->labels, l->name, strlen(l->name), t, s);
        for (pml_option *o = s->options; o != NULL; o = o->next)
            add_labels(f, t, o->body);
        add_labels(f, t, s->body);
        add_labels(f, t, s->escape);
    }
}

static void name_label(pml_file *f, const pml_expr *e)
{
    pml_proctype *t = e->process;
    if (t->body == NULL)
        return;
    if (!t->labelled) {
        f->labels.region = &f->region;
        add_labels(f, t, t->body);
        t->labelled = true;
    }
    pml_statement *s = pml_index_get(&f->labels, e->label, strlen(e->label), t);
    if (s != NULL && (s->kind == PML_S_GOTO || s->kind == PML_S_BREAK) && s->jump == s->element)
        s->jump = f->elements++;
}

/* The recursion is as deep as expressions are. */
static void name_labels(pml_file *f, const pml_expr *e)
{
    for (; e != NULL; e = e->next) {
        if (e->kind == PML_REMOTE)
            name_label(f, e);
        name_labels(f, e->field);
        name_labels(f, e->a);
        name_labels(f, e->b);
        name_labels(f, e->c);
        name_labels(f, e->args);
    }
}

bool pml_number_formula(pml_file *f, const pml_expr *e)
{
    name_labels(f, e);
    return !f->out_of_memory;
}

/* ---- statements ---- */

static bool is_block(const pml_statement *s)
{
    return s->kind == PML_S_BLOCK || s->kind == PML_S_ATOMIC || s->kind == PML_S_D_STEP;
}

/* Returns the number of elements of the statement itself. */
static uint32_t elements_of(const pml_statement *s)
{
    switch (s->kind) {
    case PML_S_IF:
    case PML_S_UNLESS:
        return 2;
    case PML_S_DO:
        return 3;
    case PML_S_GOTO:
    case PML_S_BREAK:
        return pml_has_skip(s) ? 2 : 1;
    default:
        return 1;
    }
}

static void number_itself(pml_file *f, pml_statement *s)
{
    name_labels(f, s->target);
    name_labels(f, s->a);
    name_labels(f, s->args);
    s->element = f->elements;
    f->elements += elements_of(s);
    s->jump = s->element;
    if ((s->kind == PML_S_GOTO || s->kind == PML_S_BREAK) && pml_has_skip(s))
        s->element++;
}

static void number_inside(pml_file *f, pml_statement *s)
{
    if (s->kind == PML_S_IF || s->kind == PML_S_DO)
        for (pml_option *o = s->options; o != NULL; o = o->next)
            number_sequence(f, o->body);
    else if (is_block(s))
        number_sequence(f, s->body);
}

/* Both parts are parsed before either becomes an element. A labelled block as the body ends after
 * the `unless`, which SPIN moves into the block. */
static void number_unless(pml_file *f, pml_statement *s)
{
    pml_statement *body = s->body, *escape = s->escape;
    bool lifted = is_block(body) && body->labels != NULL;
    number_inside(f, body);
    for (pml_statement *e = escape; e != NULL; e = e->next) {
        number_inside(f, e);
        if (e->kind != PML_S_BLOCK || e->labels != NULL)
            number_itself(f, e);
    }
    if (body->kind != PML_S_BLOCK && !lifted)
        number_itself(f, body);
    number_itself(f, s);
    if (lifted)
        number_itself(f, body);
}

static void number_statement(pml_file *f, pml_statement *s)
{
    if (s->kind == PML_S_UNLESS) {
        number_unless(f, s);
        return;
    }
    number_inside(f, s);
    number_itself(f, s);
}

/* ---- statements that SPIN removes ---- */

static bool is_skip(const pml_statement *s)
{
    bool skip = s->kind == PML_S_EXPR && s->a->kind == PML_NUMBER && s->a->value == 1 &&
                !pml_is(s->first, "_");
    return s->labels == NULL && (skip || s->kind == PML_S_PRINT);
}

/* Of several such statements in a row, those after the first are no steps, except for the last
 * statement of the option. Prints stay. */
static void prune_option(pml_statement *s)
{
    pml_statement *before = NULL;
    for (bool after_skip = false; s != NULL; s = s->next) {
        bool skip = is_skip(s);
        if (skip && after_skip && s->kind != PML_S_PRINT && s->next != NULL)
            before->next = s->next;
        else
            before = s;
        after_skip = skip;
    }
}

/* Prunes the options of choices, but not the loops that `for` stands for. */
static void prune(pml_statement *s)
{
    for (; s != NULL; s = s->next) {
        for (pml_option *o = s->options; o != NULL; o = o->next) {
            if (!pml_is(s->first, "for"))
                prune_option(o->body);
            prune(o->body);
        }
        prune(s->body);
        prune(s->escape);
    }
}

uint32_t pml_exit_element(const pml_statement *s)
{
    return s->element + elements_of(s) - 1;
}

bool pml_number(pml_file *f, pml_proctype *t)
{
    t->unit = f->units++;
    name_labels(f, t->provided);
    t->first_element = f->elements;
    number_sequence(f, t->body);
    t->end_element = f->elements++;
    if (!t->is_claim)
        prune(t->body);
    return !f->out_of_memory;
}
