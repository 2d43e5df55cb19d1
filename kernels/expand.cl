/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.cl: successors of a chunk of states. Comes behind the model's generated text.
 *
 * OM_PRODUCT  1: a row is the model's words and the automaton's state; 0: the model's words alone
 * OM_ROW      words of a row
 * OM_WEIGH    1: weigh() alone; 0: the other two; undefined: all three. Only weigh() looks at the
 *             atomic propositions, so the rest need not be compiled for each property anew.
 *
 * A chunk is n states: ids first, first + 1, ... or, with `listed`, those of a list. Three kernels:
 * guards() finds what is enabled, weigh() what the automaton lets through and how many candidates
 * that makes, expand() writes them. The host looks at the sum before it calls expand(), so there
 * is always room.
 *
 * The automaton is data: edges begin[q] .. begin[q + 1] - 1 of state q, edge e leads to
 * edges[e * 3] and is taken where one of its edges[e * 3 + 2] cubes from number edges[e * 3 + 1]
 * is satisfied, a cube being (positive, negative) bits.
 */
#ifdef OM_KERNEL_ON_HOST
#include "om_kernel.h"
#endif

#define OM_DEAD 0x80000000u /* in matches[]: the model has no successor here */

/* What goes wrong in a state, ordered as the vm meets it: assertions, then guards and effects by
 * transition, then labels. The least (state of the chunk, order, fault) is kept. */
OM_FN void om_blame(OM_GLOBAL om_u64 *worst, om_u32 i, om_u32 order, om_u32 fault)
{
    om_u64 mine = (om_u64) i << 34 | (om_u64) order << 32 | fault;
    om_u64 seen = LOAD64(worst);
    while (mine < seen) {
        om_u64 old = om_cas64(worst, seen, mine);
        if (old == seen)
            return;
        seen = old;
    }
}

OM_FN om_u32 om_state_of(om_u32 first, om_u32 listed, OM_GLOBAL const om_u32 *list, om_u32 i)
{
    return listed != 0 ? list[first + i] : first + i;
}

OM_FN void om_load(om_u32 *s, OM_GLOBAL const om_u32 *row)
{
    for (om_u32 w = 0; w < OM_WORDS; w++)
        s[w] = row[w];
}

OM_FN om_u32 om_matches(
    OM_GLOBAL const om_u32 *edges, OM_GLOBAL const om_u64 *cubes, om_u32 e, om_u64 label)
{
    om_u32 at = edges[e * 3 + 1], end = at + edges[e * 3 + 2];
    for (; at < end; at++)
        if ((label & cubes[at * 2]) == cubes[at * 2] && (label & cubes[at * 2 + 1]) == 0)
            return 1;
    return 0;
}

#if !defined(OM_WEIGH) || !OM_WEIGH

/* Work-item (i, group): masks[group * stride + i] has the enabled transitions of the group. The
 * group is the same across a work-group. */
OM_KERNEL om_k_guards(OM_GLOBAL const om_u32 *table, om_u32 first, om_u32 listed,
    OM_GLOBAL const om_u32 *list, om_u32 n, om_u32 stride, om_u32 low, OM_GLOBAL om_u64 *masks,
    OM_GLOBAL om_u64 *worst)
{
    om_u32 i = OM_ID(0), group = low + OM_ID(1);
    om_u32 s[OM_WORDS], fault = 0;
    if (i >= n)
        return;
    om_load(s, &table[(om_u64) om_state_of(first, listed, list, i) * OM_ROW]);
    masks[(om_u64) group * stride + i] = om_gen_guards(group, s, &fault);
    if (fault != 0)
        om_blame(worst, i, 1, fault);
}

#endif
#if !defined(OM_WEIGH) || OM_WEIGH

/*
 * Work-item i: the label of state i and how many edges of the automaton match it. Sums over the
 * chunk: sums[0] candidates, sums[1] states where the model has no successor.
 */
OM_KERNEL om_k_weigh(OM_GLOBAL const om_u32 *table, om_u32 first, om_u32 listed,
    OM_GLOBAL const om_u32 *list, om_u32 n, om_u32 stride, OM_GLOBAL const om_u64 *masks,
    OM_GLOBAL const om_u32 *begin, OM_GLOBAL const om_u32 *edges, OM_GLOBAL const om_u64 *cubes,
    om_u32 stutter, om_u32 deadlock_ap, OM_GLOBAL om_u64 *labels, OM_GLOBAL om_u32 *matches,
    OM_GLOBAL om_u64 *sums, OM_GLOBAL om_u64 *worst)
{
    om_u32 i = OM_ID(0);
    om_u32 s[OM_WORDS], enabled = 0, match = 1;
    if (i >= n)
        return;
    OM_GLOBAL const om_u32 *row = &table[(om_u64) om_state_of(first, listed, list, i) * OM_ROW];
    om_load(s, row);
    for (om_u32 g = 0; g < OM_GROUPS; g++)
        enabled += OM_POPCOUNT(masks[(om_u64) g * stride + i]);
    om_u32 fault = om_gen_assertions(s);
    if (fault != 0)
        om_blame(worst, i, 0, fault);
#if OM_PRODUCT
    fault = 0;
    om_u64 label = om_gen_labels(s, &fault);
    if (fault != 0)
        om_blame(worst, i, 2, fault);
    if (enabled == 0 && deadlock_ap < 64)
        label |= (om_u64) 1 << deadlock_ap;
    match = 0;
    om_u32 q = row[OM_WORDS];
    for (om_u32 e = begin[q]; e < begin[q + 1]; e++)
        match += om_matches(edges, cubes, e, label);
    labels[i] = label;
#endif
    om_u32 moves = enabled == 0 && stutter != 0 ? 1 : enabled;
    matches[i] = match | (enabled == 0 ? OM_DEAD : 0);
    if (moves != 0 && match != 0)
        om_add64(&sums[0], (om_u64) moves * match);
    if (enabled == 0)
        om_add64(&sums[1], (om_u64) 1);
}

#endif
#if !defined(OM_WEIGH) || !OM_WEIGH

/* Writes d with each state that the automaton goes to, from place `at` on; returns the place
 * behind. */
OM_FN om_u32 om_emit(OM_GLOBAL om_u32 *candidates, OM_GLOBAL om_u32 *from, om_u32 at, om_u32 id,
    const om_u32 *d, OM_GLOBAL const om_u32 *begin, OM_GLOBAL const om_u32 *edges,
    OM_GLOBAL const om_u64 *cubes, om_u32 q, om_u64 label)
{
#if OM_PRODUCT
    for (om_u32 e = begin[q]; e < begin[q + 1]; e++) {
        if (!om_matches(edges, cubes, e, label))
            continue;
        OM_GLOBAL om_u32 *row = &candidates[(om_u64) at * OM_ROW];
        for (om_u32 w = 0; w < OM_WORDS; w++)
            row[w] = d[w];
        row[OM_WORDS] = edges[e * 3];
        from[at++] = id;
    }
#else
    OM_GLOBAL om_u32 *row = &candidates[(om_u64) at * OM_ROW];
    for (om_u32 w = 0; w < OM_WORDS; w++)
        row[w] = d[w];
    from[at++] = id;
#endif
    return at;
}

/*
 * Work-item (i, group): the successors of state i by the group's transitions, each with each state
 * that the automaton goes to, into room taken from *taken. Group 0 sees to the stuttering step.
 * Effects run even where the automaton has no edge: a fault of the model is one all the same.
 */
OM_KERNEL om_k_expand(OM_GLOBAL const om_u32 *table, om_u32 first, om_u32 listed,
    OM_GLOBAL const om_u32 *list, om_u32 n, om_u32 stride, om_u32 low,
    OM_GLOBAL const om_u64 *masks, OM_GLOBAL const om_u32 *begin, OM_GLOBAL const om_u32 *edges,
    OM_GLOBAL const om_u64 *cubes, om_u32 stutter, OM_GLOBAL const om_u64 *labels,
    OM_GLOBAL const om_u32 *matches, OM_GLOBAL om_u32 *candidates, OM_GLOBAL om_u32 *from,
    OM_GLOBAL om_u32 *taken, OM_GLOBAL om_u64 *worst)
{
    om_u32 i = OM_ID(0), group = low + OM_ID(1);
    om_u32 s[OM_WORDS], d[OM_WORDS];
    if (i >= n)
        return;
    om_u64 mask = masks[(om_u64) group * stride + i];
    om_u32 match = matches[i];
    om_u32 still = group == 0 && stutter != 0 && (match & OM_DEAD) != 0;
    match &= ~OM_DEAD;
    if (mask == 0 && !still)
        return;
    om_u32 id = om_state_of(first, listed, list, i), q = 0;
    om_u64 label = 0;
    OM_GLOBAL const om_u32 *row = &table[(om_u64) id * OM_ROW];
    om_load(s, row);
#if OM_PRODUCT
    q = row[OM_WORDS];
    label = labels[i];
#endif
    om_u32 at = match == 0 ? 0 : om_add32(taken, (OM_POPCOUNT(mask) + still) * match);
    if (still && match != 0)
        at = om_emit(candidates, from, at, id, s, begin, edges, cubes, q, label);
    om_u32 base = om_gen_base(group);
    while (mask != 0) {
        om_u32 t = base + OM_LOWEST(mask);
        mask &= mask - 1;
        om_u32 fault = om_gen_effect(t, s, d);
        if (fault != 0)
            om_blame(worst, i, 1, fault);
        if (match != 0)
            at = om_emit(candidates, from, at, id, d, begin, edges, cubes, q, label);
    }
}

#endif
