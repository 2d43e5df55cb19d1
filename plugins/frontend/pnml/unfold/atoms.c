/* SPDX-License-Identifier: Apache-2.0 */
/* The atoms of a rule: the tokens that it takes, as far as they are known one by one. */
#include "join.h"

#include <assert.h>

enum {
    /* Atoms of a rule; its other tokens are checked for complete bindings. Since each plan goes
     * through all atoms, this keeps the memory of plans linear in the document. */
    MOST_ATOMS = 16,
    MOST_TOKENS = 256, /* candidates among which the atoms are chosen */
    MOST_LEAVES = 256  /* per atom, as in a sort */
};

typedef struct flattening {
    pnml_leaf leaves[MOST_LEAVES];
    uint32_t count;
    uint64_t variables;
    bool exact; /* the atom is all that the term stands for */
} flattening;

static void add_leaf(
    flattening *f, uint64_t stride, uint64_t size, uint32_t variable, uint64_t number)
{
    assert(f->count < MOST_LEAVES); /* each leaf has its own components of the sort */
    assert(number < size);          /* K1 */
    f->leaves[f->count++] = (pnml_leaf){ { stride, size }, variable, number };
}

/* Collects the components of a tuple, or of one of several tuples that the term stands for.
 * Returns false if no tuple is known. */
static bool flatten(flattening *f, const pnml_colour_term *t, uint64_t stride)
{
    switch (t->kind) {
    case PNML_VARIABLE:
        f->variables |= t->variables;
        add_leaf(f, stride, t->sort->size, (uint32_t) t->number, t->shift);
        return true;
    case PNML_CONSTANT:
        add_leaf(f, stride, t->sort->size, OM_NONE, t->number);
        return true;
    case PNML_ALL:
        f->exact = false;
        add_leaf(f, stride, t->sort->size, OM_NONE, 0);
        return true;
    case PNML_SCALE:
        return t->number != 0 && flatten(f, t->args[0], stride);
    case PNML_TUPLE:
        for (uint32_t i = 0; i < t->count; i++)
            if (!flatten(f, t->args[i], stride * t->sort->strides[i]))
                return false;
        return true;
    default:
        return false;
    }
}

static int add_atom(pnml_unfolding *j, pnml_rule *r, uint32_t place, const pnml_colour_term *t)
{
    flattening f = { .exact = true };
    assert(place < j->store_count && r->atom_count <= MOST_TOKENS);
    if (r->atom_count == MOST_TOKENS || !flatten(&f, t, 1)) {
        r->exact = false;
        return OM_OK;
    }
    pnml_leaf *leaves = om_region_take(&j->region, f.count, sizeof *leaves);
    if (leaves == NULL)
        return om_fail_memory(j->d->ctx);
    for (uint32_t i = 0; i < f.count; i++)
        leaves[i] = f.leaves[i];
    r->exact = r->exact && f.exact;
    r->atoms[r->atom_count++] = (pnml_atom){ place, f.count, f.variables, leaves };
    return OM_OK;
}

/* The recursion is as deep as the document's nesting, which has a limit. */
static int add_atoms(pnml_unfolding *j, pnml_rule *r, uint32_t place, const pnml_colour_term *t)
{
    int rc = OM_OK;
    if (t->kind == PNML_SCALE)
        return t->number == 0 ? OM_OK : add_atoms(j, r, place, t->args[0]);
    if (t->kind != PNML_ADD)
        return add_atom(j, r, place, t);
    for (uint32_t i = 0; i < t->count && rc == OM_OK; i++)
        rc = add_atoms(j, r, place, t->args[i]);
    return rc;
}

static uint32_t variable_count(const pnml_atom *a)
{
    uint32_t n = 0;
    for (uint64_t rest = a->variables; rest != 0; rest &= rest - 1)
        n++;
    return n;
}

/* Chooses the atoms with the most variables; atoms with equally many keep their order. */
static void choose_atoms(pnml_rule *r)
{
    for (uint32_t i = 1; i < r->atom_count; i++) {
        const pnml_atom a = r->atoms[i];
        uint32_t at = i, n = variable_count(&a);
        for (; at > 0 && variable_count(&r->atoms[at - 1]) < n; at--)
            r->atoms[at] = r->atoms[at - 1];
        r->atoms[at] = a;
    }
    r->exact = r->exact && r->atom_count <= MOST_ATOMS;
    if (r->atom_count > MOST_ATOMS)
        r->atom_count = MOST_ATOMS;
}

int pnml_find_atoms(pnml_unfolding *j, pnml_rule *r)
{
    pnml_atom atoms[MOST_TOKENS] = { { .place = 0 } };
    int rc = OM_OK;
    r->atoms = atoms;
    r->exact = true;
    for (uint32_t i = 0; i < r->take_count && rc == OM_OK; i++)
        rc = add_atoms(j, r, r->takes[i].place, r->takes[i].term);
    choose_atoms(r);
    r->atoms = om_region_take(&j->region, r->atom_count, sizeof *r->atoms);
    if (rc != OM_OK || r->atoms == NULL)
        return rc != OM_OK ? rc : om_fail_memory(j->d->ctx);
    for (uint32_t i = 0; i < r->atom_count; i++)
        r->atoms[i] = atoms[i];
    return OM_OK;
}
