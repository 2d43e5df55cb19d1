/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltl.c: the arena of formulas. A formula is a number. Formulas with equal operator and operands
 * have the same number (hash consing), so a formula is a graph that shares equal subformulas.
 * Operands have smaller numbers: an upward pass over the arena meets them first, without recursion.
 */
#include "formula_nodes.h"

#include <assert.h>
#include <string.h>

#include "paranoid.h"

int om_ltl_new(om_ltl **out, om_context *ctx)
{
    const om_heap *heap = om_context_heap(ctx);
    om_ltl *l = om_alloc(heap, 1, sizeof *l);
    if (l == NULL)
        return om_fail_memory(ctx);
    l->ctx = ctx;
    l->heap = heap;
    l->count = 1;
    *out = l;
    return OM_OK;
}

void om_ltl_free(om_ltl *l)
{
    if (l == NULL)
        return;
    for (uint32_t i = 0; i < l->ap_count; i++)
        om_free(l->heap, l->aps[i]);
    OM_FREE_ALL(l->heap, l->nodes, l->table, l);
}

static uint64_t hash_node(const om_ltl_node *n)
{
    uint64_t h = ((uint64_t) n->a << 32 | n->b) * 0x9e3779b97f4a7c15u + n->op;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
    return h ^ (h >> 32);
}

/* Returns the table entry of the node, or the free entry where it belongs. */
static size_t find_place(const om_ltl *l, const om_ltl_node *n)
{
    assert(2 * l->count <= l->table_size); /* a probe ends */
    size_t mask = l->table_size - 1, at = (size_t) hash_node(n) & mask;
    while (l->table[at] != 0) {
        const om_ltl_node *m = &l->nodes[l->table[at]];
        if (m->op == n->op && m->a == n->a && m->b == n->b)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static bool grow_table(om_ltl *l)
{
    size_t size = l->table_size == 0 ? 64 : l->table_size * 2;
    uint32_t *table = om_alloc(l->heap, size, sizeof *table);
    if (table == NULL)
        return false;
    om_free(l->heap, l->table);
    l->table = table;
    l->table_size = size;
    for (size_t i = 1; i < l->count; i++) {
        size_t at = find_place(l, &l->nodes[i]);
        assert(table[at] == 0); /* I2 */
        table[at] = (uint32_t) i;
    }
    return true;
}

static om_ltl_ref intern(om_ltl *l, om_ltl_node n)
{
    assert(n.op == OM_LTL_AP || (n.a < l->count && n.b < l->count)); /* I1 */
    if ((l->count + 1) * 2 > l->table_size && !grow_table(l))
        return 0;
    size_t at = find_place(l, &n);
    if (l->table[at] != 0)
        return l->table[at];
    if (l->count >= OM_LTL_NODES_MOST)
        return 0;
    if (!OM_ROOM(l->heap, l->nodes, &l->capacity, l->count + 1))
        return 0;
    if (l->count == 1)
        memset(l->nodes, 0, sizeof *l->nodes);
    l->nodes[l->count] = n;
    return l->table[at] = (uint32_t) l->count++;
}

static bool is_formula(const om_ltl *l, om_ltl_ref f)
{
    return f > 0 && f < l->count;
}

/*
 * Computes the kind bits of a formula from those of its operands. For U: let x U y hold because of
 * y at position k. If y is universal, x U y holds at the positions up to k because of k, and at
 * later ones because y keeps holding. The other cases are this one or its dual (x W y = y R (x |
 * y), x M y = y U (x & y)).
 */
static int kind_of(const om_ltl *l, om_ltl_op op, om_ltl_ref a, om_ltl_ref b)
{
    int x = om_ltl__arity(op) >= 1 ? l->nodes[a].kind : 0;
    int y = om_ltl__arity(op) == 2 ? l->nodes[b].kind : 0;
    switch (op) {
    case OM_LTL_TRUE:
    case OM_LTL_FALSE:
        return OM_LTL_BOTH;
    case OM_LTL_AND:
    case OM_LTL_OR:
        return x & y;
    case OM_LTL_NEXT:
        return x;
    case OM_LTL_FINALLY:
        return x | OM_LTL_EVENTUAL;
    case OM_LTL_GLOBALLY:
        return x | OM_LTL_UNIVERSAL;
    case OM_LTL_UNTIL:
        return l->nodes[a].op == OM_LTL_TRUE ? y | OM_LTL_EVENTUAL : y;
    case OM_LTL_RELEASE:
        return l->nodes[a].op == OM_LTL_FALSE ? y | OM_LTL_UNIVERSAL : y;
    case OM_LTL_WEAK_UNTIL:
        return (y & OM_LTL_UNIVERSAL) | (x & y & OM_LTL_EVENTUAL);
    case OM_LTL_STRONG_RELEASE:
        return (y & OM_LTL_EVENTUAL) | (x & y & OM_LTL_UNIVERSAL);
    default:
        return 0;
    }
}

om_ltl_ref om_ltl_make(om_ltl *l, om_ltl_op op, om_ltl_ref a, om_ltl_ref b)
{
    bool ok;
    if (op < OM_LTL_TRUE || op > OM_LTL_STRONG_RELEASE)
        return 0;
    if (op == OM_LTL_AP)
        ok = a < l->ap_count && b == 0;
    else
        ok = (om_ltl__arity(op) >= 1 ? is_formula(l, a) : a == 0) &&
             (om_ltl__arity(op) == 2 ? is_formula(l, b) : b == 0);
    if (!ok)
        return 0;
    return intern(l, (om_ltl_node){ (uint16_t) op, (uint16_t) kind_of(l, op, a, b), a, b });
}

om_ltl_ref om_ltl__intern_ap(om_ltl *l, const char *name)
{
    uint32_t i = 0;
    while (i < l->ap_count && strcmp(l->aps[i], name) != 0)
        i++;
    if (i == l->ap_count) {
        if (i == OM_LTL_AP_MOST)
            return 0;
        char *copy = om_strdup(l->heap, name);
        if (copy == NULL)
            return 0;
        l->aps[l->ap_count++] = copy;
    }
    return om_ltl_make(l, OM_LTL_AP, i, 0);
}

om_ltl_ref om_ltl_ap_ref(om_ltl *l, const char *name)
{
    char *normal = om_ltl__ap_name(l->heap, name, strlen(name));
    om_ltl_ref f = normal == NULL || *normal == '\0' ? 0 : om_ltl__intern_ap(l, normal);
    om_free(l->heap, normal);
    return f;
}

om_ltl_op om_ltl_operator(const om_ltl *l, om_ltl_ref f)
{
    assert(is_formula(l, f));
    return (om_ltl_op) l->nodes[f].op;
}

om_ltl_ref om_ltl_left(const om_ltl *l, om_ltl_ref f)
{
    assert(is_formula(l, f));
    return l->nodes[f].a;
}

om_ltl_ref om_ltl_right(const om_ltl *l, om_ltl_ref f)
{
    assert(is_formula(l, f));
    return l->nodes[f].b;
}

uint32_t om_ltl_ap_count(const om_ltl *l)
{
    return l->ap_count;
}

const char *om_ltl_ap_name(const om_ltl *l, uint32_t i)
{
    return i < l->ap_count ? l->aps[i] : NULL;
}

void om_ltl_ap_place(const om_ltl *l, uint32_t i, uint32_t *line, uint32_t *column)
{
    assert(i < l->ap_count);
    *line = l->places[i].line;
    *column = l->places[i].column;
}

size_t om_ltl__mark_subformulas(const om_ltl *l, om_ltl_ref f, uint8_t *needed)
{
    size_t count = 0;
    assert(is_formula(l, f));
    needed[f] = 1;
    for (om_ltl_ref g = f; g > 0; g--) {
        if (!needed[g])
            continue;
        const om_ltl_node *n = &l->nodes[g];
        int arity = om_ltl__arity(n->op);
        OM_CHECK(arity < 1 || n->a < g); /* I1 */
        OM_CHECK(arity < 2 || n->b < g); /* I1 */
        if (arity >= 1)
            needed[n->a] = 1;
        if (arity == 2)
            needed[n->b] = 1;
        count++;
    }
    return count;
}
