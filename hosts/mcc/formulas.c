/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas of the contest: simplified by constants and bounds, and written as LTL. */
#include "formulas.h"

#include <assert.h>
#include <string.h>

const mcc_formula *mcc_formula_atom(om_region *r, const om_predicate *p)
{
    mcc_formula *f = p == NULL ? NULL : om_region_take(r, 1, sizeof *f);
    if (f == NULL)
        return NULL;
    *f = (mcc_formula){ .kind = MCC_ATOM, .atom = p };
    return f;
}

static bool is_constant(const mcc_formula *f, bool value)
{
    return f->kind == MCC_ATOM && f->atom->kind == (value ? OM_PREDICATE_TRUE : OM_PREDICATE_FALSE);
}

static const mcc_formula *make_node(
    om_region *r, mcc_kind kind, const mcc_formula *const *args, uint32_t count)
{
    assert(kind == MCC_AND || kind == MCC_OR ? count >= 2
                                             : count == (kind == MCC_UNTIL ? 2 : 1)); /* F1 */
    mcc_formula *f = om_region_take(r, 1, sizeof *f);
    const mcc_formula **copy = om_region_take(r, count, sizeof(const mcc_formula *));
    if (f == NULL || copy == NULL)
        return NULL;
    memcpy(copy, args, count * sizeof(const mcc_formula *));
    *f = (mcc_formula){ .kind = kind, .count = count, .args = copy };
    return f;
}

/* Joins the arguments that are predicates to one predicate, the first argument. */
static const mcc_formula *make_join(
    om_region *r, mcc_kind kind, const mcc_formula *const *args, uint32_t count)
{
    const om_predicate_kind join = kind == MCC_AND ? OM_PREDICATE_AND : OM_PREDICATE_OR;
    const mcc_formula **rest = om_region_take(r, count + 1, sizeof(const mcc_formula *));
    const om_predicate **atoms = om_region_take(r, count + 1, sizeof(const om_predicate *));
    uint32_t others = 1, n = 0;
    if (rest == NULL || atoms == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (args[i]->kind == MCC_ATOM)
            atoms[n++] = args[i]->atom;
        else
            rest[others++] = args[i];
    assert(n + others == count + 1);
    rest[0] = mcc_formula_atom(r, om_predicate_join(r, join, atoms, n));
    if (rest[0] == NULL || others == 1 || is_constant(rest[0], kind == MCC_OR))
        return rest[0];
    const bool neutral = is_constant(rest[0], kind == MCC_AND);
    if (neutral && others == 2)
        return rest[1];
    return make_node(r, kind, rest + neutral, others - neutral);
}

const mcc_formula *mcc_formula_make(
    om_region *r, mcc_kind kind, const mcc_formula *const *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (args[i] == NULL)
            return NULL;
    if (kind == MCC_AND || kind == MCC_OR)
        return make_join(r, kind, args, count);
    assert(kind != MCC_ATOM && count >= 1); /* F1 */
    const mcc_formula *last = args[count - 1];
    if (kind == MCC_NOT && last->kind == MCC_ATOM)
        return mcc_formula_atom(r, om_predicate_not(r, last->atom));
    if (kind == MCC_NOT && last->kind == MCC_NOT)
        return last->args[0];
    /* Each of these operators has the value of its last argument if that is constant. */
    if (kind != MCC_NOT && (is_constant(last, true) || is_constant(last, false)))
        return last;
    if (kind == MCC_UNTIL && is_constant(args[0], true))
        return make_node(r, MCC_FINALLY, &last, 1);
    if (kind == MCC_UNTIL && is_constant(args[0], false))
        return last;
    if ((kind == MCC_FINALLY || kind == MCC_GLOBALLY) && last->kind == kind)
        return last;
    return make_node(r, kind, args, count);
}

/* The recursion is as deep as the document, which is limited. */
const mcc_formula *mcc_formula_bounded(mcc *m, const mcc_formula *f)
{
    om_region *r = &m->region;
    if (f->kind == MCC_ATOM)
        return mcc_formula_atom(r, om_predicate_within(r, f->atom, m->net, m->least));
    const mcc_formula **args = om_region_take(r, f->count, sizeof(const mcc_formula *));
    if (args == NULL)
        return NULL;
    for (uint32_t i = 0; i < f->count; i++)
        args[i] = mcc_formula_bounded(m, f->args[i]);
    return mcc_formula_make(r, f->kind, args, f->count);
}

size_t mcc_formula_size(const mcc_formula *f)
{
    size_t n = 1;
    for (uint32_t i = 0; i < f->count; i++)
        n += mcc_formula_size(f->args[i]);
    return n;
}

bool mcc_formula_counts_steps(const mcc_formula *f)
{
    bool any = f->kind == MCC_NEXT;
    for (uint32_t i = 0; i < f->count && !any; i++)
        any = mcc_formula_counts_steps(f->args[i]);
    return any;
}

/* ---- as text ---- */

static int put_atom(mcc *m, mcc_target *t, const om_predicate *of, om_text *out)
{
    size_t i = 0;
    const om_predicate *p = mcc_target_predicate(m, t, of);
    if (p == NULL)
        return om_fail_memory(m->c->ctx);
    if (p->kind == OM_PREDICATE_TRUE || p->kind == OM_PREDICATE_FALSE) {
        om_text_add(out, p->kind == OM_PREDICATE_TRUE ? "true" : "false");
        return OM_OK;
    }
    const int rc = mcc_target_add(m, t, p, &i);
    if (rc != OM_OK)
        return rc;
    assert(i < t->predicate_count); /* F2 */
    om_text_printf(out, "p%zu", i);
    return OM_OK;
}

int mcc_formula_put(mcc *m, mcc_target *t, const mcc_formula *f, om_text *out)
{
    static const char *const before[] = { "", "!", "", "", "X", "F", "G", "" };
    static const char *const between[] = { "", "", " & ", " | ", "", "", "", " U " };
    int rc = OM_OK;
    assert((f->kind == MCC_ATOM) == (f->count == 0) && f->kind <= MCC_UNTIL); /* F1 */
    if (f->kind == MCC_ATOM)
        return put_atom(m, t, f->atom, out);
    om_text_add(out, before[f->kind]);
    om_text_add(out, "(");
    for (uint32_t i = 0; i < f->count && rc == OM_OK; i++) {
        om_text_add(out, i == 0 ? "" : between[f->kind]);
        rc = mcc_formula_put(m, t, f->args[i], out);
    }
    om_text_add(out, ")");
    return rc == OM_OK && out->failed ? om_fail_memory(m->c->ctx) : rc;
}
