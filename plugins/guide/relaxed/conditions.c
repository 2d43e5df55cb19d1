/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions as nodes: conjunctions and disjunctions of leaves. */
#include "relaxed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096 };

/* ---- nodes ---- */

static uint32_t add_node(net *n, node_kind kind, uint32_t weight)
{
    if (n->node_count >= MOST_NODES)
        n->rc = OM_EUNSUPPORTED;
    if (n->rc != OM_OK)
        return ALWAYS;
    if (!OM_ROOM(n->heap, n->nodes, &n->node_room, n->node_count + 1)) {
        n->rc = OM_ENOMEM;
        return ALWAYS;
    }
    n->nodes[n->node_count] =
        (net_node){ .kind = kind, .weight = weight, .first = (uint32_t) n->arc_count };
    return (uint32_t) n->node_count++;
}

void condition_put(net *n, uint32_t id)
{
    if (OM_ROOM(n->heap, n->list, &n->list_room, n->listed + 1))
        n->list[n->listed++] = id;
    else
        n->rc = OM_ENOMEM;
}

void condition_list(net *n, uint32_t id)
{
    const net_node at = n->nodes[id];
    if (at.kind != ALL || at.weight > 0 || id == ALWAYS)
        condition_put(n, id);
    for (uint32_t i = 0; at.kind == ALL && at.weight == 0 && i < at.count; i++)
        condition_put(n, n->arcs[at.first + i]);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
    return x < y ? -1 : x > y;
}

/* Sorts what was listed after `begin`, and drops what occurs twice, and `without`. */
static void tidy(net *n, size_t begin, uint32_t without)
{
    size_t count = begin;
    if (n->listed > begin)
        qsort(n->list + begin, n->listed - begin, sizeof *n->list, compare);
    for (size_t i = begin; i < n->listed; i++)
        if (n->list[i] != without && (count == begin || n->list[count - 1] != n->list[i]))
            n->list[count++] = n->list[i];
    n->listed = count;
}

uint32_t condition_close(net *n, size_t begin, node_kind kind, uint32_t weight)
{
    const uint32_t without = kind == ALL ? ALWAYS : NEVER, instead = kind == ALL ? NEVER : ALWAYS;
    assert(begin <= n->listed);
    tidy(n, begin, without);
    const size_t count = n->listed - begin;
    const uint32_t *list = n->list + begin;
    uint32_t id;
    n->listed = begin;
    /* ALWAYS and NEVER have the smallest numbers. */
    if (count > 0 && list[0] == instead)
        return instead;
    if (count == 1 && weight == 0)
        return list[0];
    if (count == 0 && weight == 0)
        return without;
    if (n->arc_count + count > MOST_ARCS)
        n->rc = OM_EUNSUPPORTED;
    if (n->rc != OM_OK)
        return ALWAYS;
    if (!OM_ROOM(n->heap, n->arcs, &n->arc_room, n->arc_count + count)) {
        n->rc = OM_ENOMEM;
        return ALWAYS;
    }
    id = add_node(n, kind, weight);
    if (id == ALWAYS)
        return id;
    if (count > 0)
        memcpy(n->arcs + n->arc_count, list, count * sizeof *list);
    n->nodes[id].count = (uint32_t) count;
    n->arc_count += count;
    return id;
}

/* ---- leaves ---- */

/* Computes the range of a form's values. */
static void range_of(const net *n, const form *f, om_wide *low, om_wide *high)
{
    *low = *high = f->constant;
    for (uint32_t i = 0; i < f->count; i++) {
        om_value least, most;
        form_range(n, f->terms[i].cell, &least, &most);
        const om_wide a = f->terms[i].factor * least, b = f->terms[i].factor * most;
        *low += a < b ? a : b;
        *high += a < b ? b : a;
    }
}

static void negate(form *f)
{
    const form old = *f;
    *f = (form){ .count = 0 };
    (void) form_add(f, &old, -1);
}

/* Makes equal conditions of different look the same, as far as the range of values tells. Returns
 * ALWAYS or NEVER if it decides, or OM_NONE. */
static uint32_t normalise(const net *n, form *f, test *t)
{
    om_wide low, high;
    range_of(n, f, &low, &high);
    if (*t == AT_LEAST ? low >= 0 : *t == EQUAL ? low == 0 && high == 0 : low > 0 || high < 0)
        return ALWAYS;
    if (*t == AT_LEAST ? high < 0 : *t == EQUAL ? low > 0 || high < 0 : low == 0 && high == 0)
        return NEVER;
    if (*t == DIFFERS && (low == 0 || high == 0)) {
        if (low != 0)
            negate(f);
        f->constant--;
        high = low == 0 ? high - 1 : -low - 1;
        *t = AT_LEAST;
    }
    if (*t == AT_LEAST && high == 0)
        *t = EQUAL;
    if (*t != AT_LEAST && f->terms[0].factor < 0)
        negate(f);
    return OM_NONE;
}

static bool is_same(const net *n, const leaf *l, const form *f, test t)
{
    if (l->test != t || l->constant != f->constant || l->count != f->count)
        return false;
    for (uint32_t i = 0; i < f->count; i++)
        if (n->terms[l->first + i].cell != f->terms[i].cell ||
            n->terms[l->first + i].factor != f->terms[i].factor)
            return false;
    return true;
}

static uint32_t *bucket_of(const net *n, const form *f, test t)
{
    uint64_t h = (uint64_t) f->constant * 3 + t;
    for (uint32_t i = 0; i < f->count; i++)
        h = (h ^ f->terms[i].cell) * 0x9e3779b97f4a7c15u + (uint64_t) f->terms[i].factor;
    return &n->buckets[(h * 0x9e3779b97f4a7c15u >> 32) % BUCKETS];
}

static uint32_t add_leaf(net *n, const form *f, test t, uint32_t depth, uint32_t *bucket)
{
    if (!OM_ROOM(n->heap, n->leaves, &n->leaf_room, n->leaf_count + 1) ||
        !OM_ROOM(n->heap, n->terms, &n->term_room, n->term_count + f->count)) {
        n->rc = OM_ENOMEM;
        return ALWAYS;
    }
    const uint32_t id = add_node(n, LEAF, 0);
    if (id == ALWAYS)
        return id;
    n->nodes[id].first = (uint32_t) n->leaf_count;
    n->leaves[n->leaf_count] = (leaf){ .node = id,
        .next = *bucket,
        .test = t,
        .constant = f->constant,
        .first = (uint32_t) n->term_count,
        .count = f->count,
        .depth = depth };
    for (uint32_t i = 0; i < f->count; i++)
        n->terms[n->term_count++] = f->terms[i];
    *bucket = (uint32_t) n->leaf_count++;
    return id;
}

uint32_t condition_on(net *n, const form *f, test t, uint32_t depth)
{
    form g = *f;
    const uint32_t decided = normalise(n, &g, &t);
    if (decided != OM_NONE)
        return decided;
    if (n->buckets == NULL) {
        if (!OM_NEW(n->heap, n->buckets, BUCKETS)) {
            n->rc = OM_ENOMEM;
            return ALWAYS;
        }
        memset(n->buckets, 0xff, BUCKETS * sizeof *n->buckets);
    }
    uint32_t *bucket = bucket_of(n, &g, t);
    for (uint32_t i = *bucket; i != OM_NONE; i = n->leaves[i].next)
        if (is_same(n, &n->leaves[i], &g, t))
            return n->leaves[i].node;
    return add_leaf(n, &g, t, depth, bucket);
}

/* ---- expressions ---- */

static uint32_t condition_of(net *n, const view *v, om_expr e, bool truth);

/* Sets *f to the form that must pass the test so that a >= b, for example. */
static bool compare_sides(
    const net *n, const view *v, const om_node *c, om_op op, form *f, uint32_t *by)
{
    const bool swap = op == OM_OP_LT || op == OM_OP_LE;
    form less;
    if (!form_of(n, v, swap ? c->b : c->a, f, by) || !form_of(n, v, swap ? c->a : c->b, &less, by))
        return false;
    *by = OM_NONE;
    if (!form_add(f, &less, -1))
        return false;
    f->constant -= op == OM_OP_LT || op == OM_OP_GT;
    return true;
}

/* Sets *f and *t to what must hold so that an expression that is no conjunction has a truth value.
 */
static bool simple(
    const net *n, const view *v, om_expr e, bool truth, form *f, test *t, uint32_t *by)
{
    static const om_op inverse[] = { [OM_OP_LT] = OM_OP_GE,
        [OM_OP_LE] = OM_OP_GT,
        [OM_OP_EQ] = OM_OP_NE,
        [OM_OP_NE] = OM_OP_EQ,
        [OM_OP_GE] = OM_OP_LT,
        [OM_OP_GT] = OM_OP_LE };
    const om_node *c = om_model_node(n->m, e);
    if (c->op < OM_OP_LT || c->op > OM_OP_GT) {
        *t = truth ? DIFFERS : EQUAL;
        return form_of(n, v, e, f, by);
    }
    const om_op op = truth ? (om_op) c->op : inverse[c->op];
    *t = op == OM_OP_EQ ? EQUAL : op == OM_OP_NE ? DIFFERS : AT_LEAST;
    return compare_sides(n, v, c, op, f, by);
}

/* Returns the node of a condition by the values of a cell. */
static uint32_t by_values(net *n, const view *v, om_expr e, bool truth, uint32_t cell)
{
    const size_t begin = n->listed;
    om_value low, high;
    if (!form_may_bind(n, v, cell))
        return ALWAYS;
    form_range(n, cell, &low, &high);
    for (om_wide value = low; value <= high && n->rc == OM_OK; value++) {
        const view bound = form_bind(n, v, cell, (om_value) value);
        const form is = { .constant = -value, .count = 1, .terms = { { cell, 1 } } };
        const size_t both = n->listed;
        condition_need(n, &bound, e, truth);
        condition_list(n, condition_on(n, &is, EQUAL, 0));
        condition_put(n, condition_close(n, both, ALL, 0));
    }
    return condition_close(n, begin, ANY, 0);
}

/* The condition is a conjunction, or a disjunction. */
static bool is_joint(const om_node *c, bool both, bool truth)
{
    return c->op == OM_OP_AND ? both == truth
                              : (c->op == OM_OP_OR || c->op == OM_OP_IMPLY) && both != truth;
}

static uint32_t condition_of(net *n, const view *v, om_expr e, bool truth)
{
    const size_t begin = n->listed;
    condition_need(n, v, e, truth);
    return condition_close(n, begin, ALL, 0);
}

/* The recursion is as deep as the expression, and the number of bindings. */
void condition_need(net *n, const view *v, om_expr e, bool truth)
{
    const om_node c = *om_model_node(n->m, e);
    const bool left = truth != (c.op == OM_OP_IMPLY);
    form f;
    test t;
    uint32_t by = OM_NONE;
    if (c.op == OM_OP_NOT) {
        condition_need(n, v, c.a, !truth);
    } else if (is_joint(&c, true, truth)) {
        condition_need(n, v, c.a, left);
        condition_need(n, v, c.b, truth);
    } else if (is_joint(&c, false, truth)) {
        const size_t begin = n->listed;
        condition_put(n, condition_of(n, v, c.a, left));
        condition_put(n, condition_of(n, v, c.b, truth));
        condition_list(n, condition_close(n, begin, ANY, 0));
    } else if (simple(n, v, e, truth, &f, &t, &by)) {
        condition_list(n, condition_on(n, &f, t, 0));
    } else {
        condition_list(n, by_values(n, v, e, truth, by));
    }
}
