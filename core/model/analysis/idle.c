/* SPDX-License-Identifier: Apache-2.0 */
#include "idle.h"

#include <assert.h>

enum {
    SIZE_LEAST = 32,  /* a smaller condition is evaluated at once */
    VISITS = 1 << 20, /* nodes visited in the search for faults, in all */
    MOST_LEFT = 2     /* at least one in so many transitions must imply a case */
};

static const om_node *node(const om_idle *x, om_expr e)
{
    return om_model_node(x->m, e);
}

/* Assumes the conjuncts of e, or takes the assumption back (by: 1 or -1). */
static void assume(om_idle *x, om_expr e, int by)
{
    const om_node *n = node(x, e);
    if (n == NULL)
        return;
    if (n->op == OM_OP_AND) {
        assume(x, n->a, by);
        assume(x, n->b, by);
        return;
    }
    assert(by > 0 || x->holds[e] > 0);
    x->holds[e] += (uint32_t) by;
}

/* Returns true if the assumptions imply e. */
static bool implied(const om_idle *x, om_expr e)
{
    const om_node *n = node(x, e);
    if (x->holds[e] > 0 || (n->op == OM_OP_CONST && n->value != 0))
        return true;
    if (n->op == OM_OP_AND)
        return implied(x, n->a) && implied(x, n->b);
    return n->op == OM_OP_OR && (implied(x, n->a) || implied(x, n->b));
}

static bool implies_a_case(om_idle *x, om_expr e)
{
    const om_node *n = node(x, e);
    if (n->op == OM_OP_AND)
        return implies_a_case(x, n->a) || implies_a_case(x, n->b);
    return x->cases[e] != 0 && implied(x, x->cases[e]);
}

bool om_idle__ends(om_idle *x, om_expr guard)
{
    if (x->condition == 0 || guard == 0)
        return false;
    assume(x, guard, 1);
    const bool ends = implies_a_case(x, guard);
    assume(x, guard, -1);
    return ends;
}

/* ---- faults ---- */

typedef enum order { GOES_ON, MEETS, FAILS } order;

/* Goes through the conjuncts of a guard until it meets e, or one that is not assumed. */
static order until(const om_idle *x, om_expr guard, om_expr e)
{
    const om_node *n = node(x, guard);
    if (n->op == OM_OP_AND) {
        const order left = until(x, n->a, e);
        return left == GOES_ON ? until(x, n->b, e) : left;
    }
    return guard == e ? MEETS : x->holds[guard] > 0 ? GOES_ON : FAILS;
}

static bool is_safe(om_idle *x, om_expr e);

/* Returns true if no operand of a logical operator can fault. */
static bool operands_are_safe(om_idle *x, om_expr e)
{
    const om_node *n = node(x, e);
    if (x->left == 0)
        return false;
    x->left--;
    if (n->op == OM_OP_NOT)
        return is_safe(x, n->a);
    if (n->op == OM_OP_OR)
        return is_safe(x, n->a) && is_safe(x, n->b);
    if (n->op != OM_OP_AND || !is_safe(x, n->a))
        return false;
    assume(x, n->a, 1); /* the right operand is evaluated if the left one holds */
    const bool safe = is_safe(x, n->b);
    assume(x, n->a, -1);
    return safe;
}

/* Returns true if e cannot fault wherever it is evaluated, if the assumptions hold then and the
 * guards of all transitions that do not wait have been evaluated without a fault. */
static bool is_safe(om_idle *x, om_expr e)
{
    if (!x->m->facts[e].faults)
        return true;
    for (uint32_t i = x->tried[e]; i != 0; i = x->list[i].next)
        if (until(x, om_model_transition(x->m, x->list[i].transition)->guard, e) == MEETS)
            return true;
    return operands_are_safe(x, e);
}

/* Goes through the conjuncts of a guard, which are assumed one after another, until it meets the
 * condition, or one that may fault. */
static order until_condition(om_idle *x, om_expr guard)
{
    const om_node *n = node(x, guard);
    if (n->op == OM_OP_AND) {
        const order left = until_condition(x, n->a);
        return left == GOES_ON ? until_condition(x, n->b) : left;
    }
    if (guard == x->condition)
        return MEETS;
    if (x->m->facts[guard].faults)
        return FAILS;
    x->holds[guard]++;
    return GOES_ON;
}

/* Takes back what until_condition() assumed. Returns false at the conjunct where it ended. */
static bool forget(om_idle *x, om_expr guard)
{
    const om_node *n = node(x, guard);
    if (n->op == OM_OP_AND)
        return forget(x, n->a) && forget(x, n->b);
    if (guard == x->condition || x->m->facts[guard].faults)
        return false;
    assert(x->holds[guard] > 0);
    x->holds[guard]--;
    return true;
}

bool om_idle__waits(om_idle *x, om_expr guard)
{
    if (x->condition == 0 || guard == 0)
        return false;
    const bool waits = until_condition(x, guard) == MEETS && is_safe(x, x->condition);
    (void) forget(x, guard);
    return waits;
}

/* Goes through the conjuncts of a guard, which are assumed one after another, until it meets e, or
 * one that may be the first to fault. *assumed: their number. */
static order until_tried(om_idle *x, om_expr guard, om_expr e, uint32_t *assumed)
{
    const om_node *n = node(x, guard);
    if (n->op == OM_OP_AND) {
        const order left = until_tried(x, n->a, e, assumed);
        return left == GOES_ON ? until_tried(x, n->b, e, assumed) : left;
    }
    if (guard == e)
        return MEETS;
    if (x->m->facts[guard].faults && !operands_are_safe(x, guard))
        return FAILS;
    x->holds[guard]++;
    (*assumed)++;
    return GOES_ON;
}

/* Takes back that the first conjuncts of a guard were assumed. */
static void forget_first(om_idle *x, om_expr guard, uint32_t *assumed)
{
    const om_node *n = node(x, guard);
    if (*assumed == 0)
        return;
    if (n->op == OM_OP_AND) {
        forget_first(x, n->a, assumed);
        forget_first(x, n->b, assumed);
        return;
    }
    assert(x->holds[guard] > 0);
    x->holds[guard]--;
    (*assumed)--;
}

bool om_idle__is_tried(om_idle *x, om_expr guard, om_expr e)
{
    uint32_t assumed = 0;
    if (guard == 0)
        return false;
    const bool tried = until_tried(x, guard, e, &assumed) == MEETS && operands_are_safe(x, e);
    forget_first(x, guard, &assumed);
    return tried;
}

/* ---- the condition of a model ---- */

/* Counts, in x->holds, in how many guards each large negation of an alternative is a conjunct, and
 * chooses the most frequent one; of those, the largest. */
static void choose(om_idle *x, om_expr e)
{
    const om_node *n = node(x, e);
    if (n == NULL)
        return;
    if (n->op == OM_OP_AND) {
        choose(x, n->a);
        choose(x, n->b);
        return;
    }
    const om_facts *facts = x->m->facts;
    if (n->op != OM_OP_NOT || node(x, n->a)->op != OM_OP_OR || facts[e].size < SIZE_LEAST)
        return;
    const uint32_t uses = ++x->holds[e], most = x->holds[x->condition];
    if (uses > most || (uses == most && facts[e].size > facts[x->condition].size))
        x->condition = e;
}

static om_expr first_conjunct(const om_idle *x, om_expr e)
{
    while (node(x, e)->op == OM_OP_AND)
        e = node(x, e)->a;
    return e;
}

static void list_cases(om_idle *x, om_expr e)
{
    const om_node *n = node(x, e);
    if (n->op == OM_OP_OR) {
        list_cases(x, n->a);
        list_cases(x, n->b);
    } else {
        x->cases[first_conjunct(x, e)] = e;
    }
}

/* Lists the conjuncts of a guard that may fault, but not the condition: it is not evaluated. */
static bool list_tried(om_idle *x, om_expr e, uint32_t transition)
{
    const om_node *n = node(x, e);
    if (n == NULL || !x->m->facts[e].faults || e == x->condition)
        return true;
    if (n->op == OM_OP_AND)
        return list_tried(x, n->a, transition) && list_tried(x, n->b, transition);
    if (!OM_ROOM(x->m->heap, x->list, &x->room, x->count + 2))
        return false;
    x->list[++x->count] = (om_idle_tried){ transition, x->tried[e] };
    x->tried[e] = (uint32_t) x->count;
    return true;
}

/* Returns true if it is likely that a transition implies a case if one is taken at all. */
static bool is_worth_it(om_idle *x)
{
    uint32_t all = 0, ends = 0;
    for (uint32_t t = 0; t < om_model_transition_count(x->m); t++)
        if (!om_model__is_never(x->m, t)) {
            all++;
            ends += om_idle__ends(x, om_model_transition(x->m, t)->guard);
        }
    return ends >= all / MOST_LEFT;
}

bool om_idle__open(om_idle *x, const om_model *m)
{
    const uint32_t count = om_model_transition_count(m);
    *x = (om_idle){ .m = m, .left = VISITS };
    if (!OM_NEW(m->heap, x->cases, m->node_count) || !OM_NEW(m->heap, x->holds, m->node_count) ||
        !OM_NEW(m->heap, x->tried, m->node_count))
        return false;
    for (uint32_t t = 0; t < count; t++)
        choose(x, om_model_transition(m, t)->guard);
    for (size_t e = 0; e < m->node_count; e++)
        x->holds[e] = 0;
    if (x->condition != 0)
        list_cases(x, node(x, x->condition)->a);
    bool done = true;
    for (uint32_t t = 0; t < count && done; t++)
        if (!om_model__is_never(m, t))
            done = list_tried(x, om_model_transition(m, t)->guard, t);
    if (done && x->condition != 0 && !is_worth_it(x))
        x->condition = 0;
    return done;
}

void om_idle__close(om_idle *x)
{
    OM_FREE_ALL(x->m->heap, x->cases, x->holds, x->tried, x->list);
}
