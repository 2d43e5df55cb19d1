/* SPDX-License-Identifier: Apache-2.0 */
#include "text/lexer.h"
#include "claims.h"

#include <omen/plugin/ltl.h>

#include <string.h>

/*
 * The formulas of ltl blocks, as properties of the model: written again in omen's LTL syntax, each
 * proposition in quotes. The checker reads the propositions like those of --ltl.
 */

enum { MOST_APS = 64 };

typedef struct writing {
    pml_lowering *l;
    om_ltl *ltl; /* counts the propositions */
    om_text text, proposition;
} writing;

static const char *operator_of(unsigned op)
{
    switch (op) {
    case OM_LTL_NOT:
        return "!";
    case OM_LTL_NEXT:
        return "X";
    case OM_LTL_FINALLY:
        return "F";
    case OM_LTL_GLOBALLY:
        return "G";
    case OM_LTL_AND:
        return " & ";
    case OM_LTL_OR:
        return " | ";
    case OM_LTL_IMPLIES:
        return " -> ";
    case OM_LTL_EQUIV:
        return " <-> ";
    case OM_LTL_UNTIL:
        return " U ";
    case OM_LTL_WEAK_UNTIL:
        return " W ";
    case OM_LTL_RELEASE:
        return " R ";
    default:
        return NULL;
    }
}

/* Returns true if one pair of parentheses encloses all tokens. */
static bool is_enclosed(const pml_token *first, const pml_token *last)
{
    size_t nesting = 0;
    if (last - first < 3 || !pml_is(first, "("))
        return false;
    for (const pml_token *t = first; t < last; t++) {
        nesting += pml_is(t, "(");
        nesting -= pml_is(t, ")");
        if (nesting == 0 && t + 1 < last)
            return false;
    }
    return nesting == 0;
}

/* Lowers the proposition, too, so that errors in it are reported at once, with their place. */
static int write_proposition(writing *w, const pml_expr *e)
{
    pml_lowering *l = w->l;
    pml_scope s = { .l = l };
    om_expr made = 0;
    int rc = pml_lower_expression(&s, e, &made);
    if (rc != OM_OK)
        return rc;
    w->proposition.length = 0;
    const pml_token *first = e->first, *last = e->last;
    while (e->kind != PML_COND && is_enclosed(first, last)) {
        first++;
        last--;
    }
    for (const pml_token *t = first; t < last; t++) {
        if (memchr(t->text, '"', t->length) != NULL || memchr(t->text, '\\', t->length) != NULL)
            return PML_REFUSE(l->file, t->at,
                "a proposition with a quotation mark or a backslash is not supported");
        if (t != first)
            om_text_add(&w->proposition, " ");
        om_text_add_n(&w->proposition, t->text, t->length);
    }
    if (w->proposition.failed)
        return om_fail_memory(l->file->ctx);
    om_text_printf(&w->text, "\"%s\"", w->proposition.text);
    if (om_ltl_ap_ref(w->ltl, w->proposition.text) != 0)
        return OM_OK;
    if (om_ltl_ap_count(w->ltl) < MOST_APS)
        return om_fail_memory(l->file->ctx);
    return PML_REFUSE(
        l->file, e->at, "the formula has more than %d different propositions", (int) MOST_APS);
}

/* The recursion is as deep as the parser's, which limits nesting. */
static int write_formula(writing *w, const pml_expr *e)
{
    if (e->kind != PML_TEMPORAL)
        return write_proposition(w, e);
    int rc = OM_OK;
    om_text_add(&w->text, "(");
    if (e->b != NULL)
        rc = write_formula(w, e->a);
    om_text_add(&w->text, operator_of(e->word));
    if (rc == OM_OK)
        rc = write_formula(w, e->b != NULL ? e->b : e->a);
    om_text_add(&w->text, ")");
    return rc;
}

/* Returns true if a claim or an earlier formula has the name. */
static bool is_taken(const pml_lowering *l, const pml_formula *f)
{
    const pml_formula *other = l->file->formulas;
    while (other != f && strcmp(other->name, f->name) != 0)
        other = other->next;
    const pml_proctype *claim = l->file->claim;
    while (claim != NULL && strcmp(claim->name, f->name) != 0)
        claim = claim->next_claim;
    return other != f || claim != NULL;
}

int pml_write_formula(pml_lowering *l, const pml_expr *e, om_text *out)
{
    const om_heap *heap = l->file->region.heap;
    writing w = { .l = l, .text = { .heap = heap }, .proposition = { .heap = heap } };
    int rc = om_ltl_new(&w.ltl, l->file->ctx);
    if (rc == OM_OK)
        rc = write_formula(&w, e);
    if (rc == OM_OK && w.text.failed)
        rc = om_fail_memory(l->file->ctx);
    if (rc == OM_OK)
        om_text_add(out, w.text.text);
    om_text_free(&w.text);
    om_text_free(&w.proposition);
    om_ltl_free(w.ltl);
    return rc == OM_OK && out->failed ? om_fail_memory(l->file->ctx) : rc;
}

static int add_formula(pml_lowering *l, const pml_formula *f)
{
    om_text text = { .heap = l->file->region.heap };
    int rc = pml_write_formula(l, f->e, &text);
    if (rc == OM_OK)
        rc = om_model_add_formula(l->model, f->name, text.text);
    om_text_free(&text);
    return rc;
}

int pml_lower_formulas(pml_lowering *l)
{
    int rc = OM_OK;
    for (const pml_formula *f = l->file->formulas; f != NULL && rc == OM_OK; f = f->next) {
        if (is_taken(l, f))
            return PML_FAIL(
                l->file, f->at, "the name of this formula, \"%s\", is already in use", f->name);
        rc = add_formula(l, f);
    }
    return rc;
}
