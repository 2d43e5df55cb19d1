/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the conditions that distinguish cases (stalls.h). */
#include "stalls.h"

#include <assert.h>

enum { MOST_COMPARED = 64 }; /* conditions of a place */

/* How the sides of a comparison may be related, as bits */
enum { LESS = 1, SAME = 2, MORE = 4, ANY = LESS | SAME | MORE };

/* Returns the relations of its sides that a comparison allows; 0: it is none. */
static unsigned allowed(const om_node *n, bool truth)
{
    static const unsigned by[] = { [OM_OP_LT] = LESS,
        [OM_OP_LE] = LESS | SAME,
        [OM_OP_EQ] = SAME,
        [OM_OP_NE] = LESS | MORE,
        [OM_OP_GE] = SAME | MORE,
        [OM_OP_GT] = MORE };
    if (n->op < OM_OP_LT || n->op > OM_OP_GT)
        return 0;
    return truth ? by[n->op] : ANY & ~by[n->op];
}

/* Returns true if two conditions are cases of one distinction: one of them holds always, or unless
 * a count that runs up to its limit passes it. */
static bool are_cases(const om_model *m, const stall_condition *a, const stall_condition *b)
{
    const om_node *x = om_model_node(m, a->expression), *y = om_model_node(m, b->expression);
    if (a->expression == b->expression)
        return a->truth != b->truth;
    /* `truth` makes the guard false. */
    const unsigned one = allowed(x, !a->truth), other = allowed(y, !b->truth);
    if (one == 0 || other == 0 || x->a != y->a || x->b != y->b || (one & other) != 0)
        return false;
    return (one | other) == ANY || one == SAME || other == SAME;
}

void stall_mark_cases(const stalls *s, const stall_place *place)
{
    const om_model *m = s->locations->model;
    assert(place->begin < place->end && place->end <= s->guard_count); /* S2 */
    const size_t begin = s->guards[place->begin].begin, end = s->guards[place->end - 1].end;
    if (end - begin > MOST_COMPARED)
        return;
    for (size_t g = place->begin; g < place->end; g++)
        for (size_t i = s->guards[g].begin; i < s->guards[g].end; i++)
            for (size_t k = s->guards[g].end; k < end; k++)
                if (are_cases(m, &s->conditions[i], &s->conditions[k]))
                    s->conditions[i].is_case = s->conditions[k].is_case = true;
}
