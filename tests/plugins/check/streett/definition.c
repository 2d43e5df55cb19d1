/* SPDX-License-Identifier: Apache-2.0 */
#include "definition.h"

#include <assert.h>
#include <stdlib.h>

bool definition_holds(const om_acc *f, size_t length, om_marks marks)
{
    bool stack[256] = { false };
    size_t top = 0;
    for (size_t i = 0; i < length; i++) {
        bool seen = (marks >> f[i].set & 1) != 0;
        assert(top < 256);
        if (f[i].op == OM_ACC_AND || f[i].op == OM_ACC_OR) {
            top--;
            stack[top - 1] =
                f[i].op == OM_ACC_AND ? stack[top - 1] && stack[top] : stack[top - 1] || stack[top];
        } else
            stack[top++] = f[i].op == OM_ACC_INF   ? seen
                           : f[i].op == OM_ACC_FIN ? !seen
                                                   : f[i].op == OM_ACC_TRUE;
    }
    return stack[0];
}

/* ---- components: states reached forwards and backwards from each state in turn ---- */

typedef struct graph_part {
    const oracle *o;
    const bool *within;
    om_marks without;
    bool *forwards, *backwards, *done;
    uint32_t *todo, *into_first; /* first arc into each state: */
    uint32_t *into;              /* sources of the arcs, by target, */
    om_marks *into_marks;        /* and their marks */
} graph_part;

static bool is_there(const graph_part *p, om_marks marks, uint32_t a, uint32_t b)
{
    return (marks & p->without) == 0 && p->within[a] && p->within[b];
}

static void reach_forwards(graph_part *p, uint32_t start)
{
    size_t n = 0;
    p->forwards[start] = true;
    p->todo[n++] = start;
    while (n > 0) {
        uint32_t i = p->todo[--n];
        for (uint32_t k = p->o->first[i]; k < p->o->first[i + 1]; k++) {
            const arc *a = &p->o->arcs[k];
            if (!p->forwards[a->to] && is_there(p, a->marks, i, a->to)) {
                p->forwards[a->to] = true;
                p->todo[n++] = a->to;
            }
        }
    }
}

static void reach_backwards(graph_part *p, uint32_t start)
{
    size_t n = 0;
    p->backwards[start] = true;
    p->todo[n++] = start;
    while (n > 0) {
        uint32_t i = p->todo[--n];
        for (uint32_t k = p->into_first[i]; k < p->into_first[i + 1]; k++)
            if (!p->backwards[p->into[k]] && is_there(p, p->into_marks[k], p->into[k], i)) {
                p->backwards[p->into[k]] = true;
                p->todo[n++] = p->into[k];
            }
    }
}

/* Stores the marks of the component of a state; returns false if it has no arc. */
static bool component_marks(graph_part *p, uint32_t start, om_marks *marks)
{
    const oracle *o = p->o;
    bool any = false;
    *marks = 0;
    for (uint32_t i = 0; i < o->n; i++)
        p->forwards[i] = p->backwards[i] = false;
    reach_forwards(p, start);
    reach_backwards(p, start);
    for (uint32_t i = 0; i < o->n; i++) {
        if (!p->forwards[i] || !p->backwards[i])
            continue;
        p->done[i] = true;
        for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++) {
            const arc *a = &o->arcs[k];
            if (p->forwards[a->to] && p->backwards[a->to] && is_there(p, a->marks, i, a->to)) {
                any = true;
                *marks |= a->marks;
            }
        }
    }
    return any;
}

static void turn_round(graph_part *p)
{
    const oracle *o = p->o;
    uint32_t n = o->n, arcs = o->first[n];
    p->into_first = calloc(n + 2, sizeof *p->into_first);
    p->into = calloc(arcs + 1, sizeof *p->into);
    p->into_marks = calloc(arcs + 1, sizeof *p->into_marks);
    for (uint32_t k = 0; k < arcs; k++)
        p->into_first[o->arcs[k].to + 2]++;
    for (uint32_t i = 1; i < n + 2; i++)
        p->into_first[i] += p->into_first[i - 1];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++) {
            uint32_t at = p->into_first[o->arcs[k].to + 1]++;
            p->into[at] = i;
            p->into_marks[at] = o->arcs[k].marks;
        }
}

static void part_new(graph_part *p, const oracle *o)
{
    *p = (graph_part){ .o = o };
    p->forwards = calloc(o->n + 1, sizeof(bool));
    p->backwards = calloc(o->n + 1, sizeof(bool));
    p->done = calloc(o->n + 1, sizeof(bool));
    p->todo = calloc(o->n + 1, sizeof *p->todo);
    turn_round(p);
}

static void part_free(graph_part *p)
{
    free(p->forwards);
    free(p->backwards);
    free(p->done);
    free(p->todo);
    free(p->into_first);
    free(p->into);
    free(p->into_marks);
}

/* Returns the states that are reachable from an initial state; the caller frees them. */
static bool *reachable(const oracle *o)
{
    bool *all = calloc(o->n + 1, sizeof *all), *met = calloc(o->n + 1, sizeof *met);
    graph_part p = { .o = o, .within = all, .forwards = met };
    p.todo = calloc(o->n + 1, sizeof *p.todo);
    for (uint32_t i = 0; i < o->n; i++)
        all[i] = true;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->initial[i] && !met[i])
            reach_forwards(&p, i);
    free(p.todo);
    free(all);
    return met;
}

/* Returns true if a component without these marks satisfies the formula, or, if f is NULL, has all
 * marks of `see`. */
static bool accepts_without(
    graph_part *p, om_marks without, const om_acc *f, size_t length, om_marks see)
{
    bool found = false;
    p->without = without;
    for (uint32_t i = 0; i < p->o->n; i++)
        p->done[i] = !p->within[i];
    for (uint32_t i = 0; i < p->o->n && !found; i++) {
        om_marks marks;
        if (!p->done[i] && component_marks(p, i, &marks))
            found = f == NULL ? (marks & see) == see : definition_holds(f, length, marks);
    }
    return found;
}

bool definition_nonempty(const oracle *o, const om_acc *f, size_t length)
{
    om_marks fins = 0, without = 0;
    bool found = false, *within = reachable(o);
    graph_part p;
    part_new(&p, o);
    p.within = within;
    for (size_t i = 0; i < length; i++)
        fins |= f[i].op == OM_ACC_FIN ? UINT64_C(1) << f[i].set : 0;
    do { /* all subsets */
        found = accepts_without(&p, without, f, length, 0);
        without = (without - fins) & fins;
    } while (!found && without != 0);
    part_free(&p);
    free(within);
    return found;
}

bool definition_cycle(const oracle *o, const bool *within, om_marks see, om_marks avoid)
{
    bool *all = within == NULL ? reachable(o) : NULL;
    graph_part p;
    part_new(&p, o);
    p.within = within == NULL ? all : within;
    bool found = accepts_without(&p, avoid, NULL, 0, see);
    part_free(&p);
    free(all);
    return found;
}
