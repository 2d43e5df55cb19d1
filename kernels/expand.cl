/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.cl: successors of a chunk of states. Comes behind the model's generated text.
 *
 * OM_PRODUCT                1: a row is the model's words and the automaton's state; 0: the words
 * OM_ROW                    words of a row
 * OM_GROUP_LOW, _HIGH       the groups of transitions of this part; undefined: all
 * OM_FIRST, OM_LAST         whether this part is the first and the last one; undefined: both
 *
 * A large model comes in parts, for compilers take more than linear time: one kernel each, queued
 * one after another. The first part alone looks at assertions and atomic propositions, so that the
 * others need not be compiled for each property anew; the last part knows whether any transition
 * was enabled.
 *
 * A chunk is n states: low, low + 1, ... or, with `listed`, what a list has from place `low` on.
 * How many candidates there are is known when they are being written; where there is no room, they
 * are only counted, and the step is done again by the host (OM_ROOM).
 *
 * The automaton is data: edges begin[q] .. begin[q + 1] - 1 of state q, edge e leads to
 * edges[e * 3] and is taken where one of its edges[e * 3 + 2] cubes from number edges[e * 3 + 1]
 * is satisfied, a cube being (positive, negative) bits.
 */
#ifdef OM_KERNEL_ON_HOST
#include "om_kernel.h"
#endif

#ifndef OM_GROUP_LOW
#define OM_GROUP_LOW 0
#define OM_GROUP_HIGH OM_GROUPS
#endif
#ifndef OM_FIRST
#define OM_FIRST 1
#define OM_LAST 1
#endif
#define OM_SPAN (OM_GROUP_HIGH - OM_GROUP_LOW) /* groups */

/* What goes wrong in a state, ordered as the vm meets it: assertions, then guards and effects by
 * transition, then labels. The least (state of the chunk, order, fault) is kept. */
OM_FN void om_blame(OM_GLOBAL om_u64 *control, om_u32 i, om_u32 order, om_u32 fault)
{
    om_least64(
        &control[OM_C_WORST], (om_u64) i << 34 | (om_u64) order << 32 | fault);
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

/* The masks of this part's groups; returns how many transitions are enabled. */
OM_FN om_u32 om_enabled(OM_GLOBAL om_u64 *control, om_u32 i, const om_u32 *s, om_u64 *masks)
{
    om_u32 enabled = 0, fault = 0;
    for (om_u32 g = 0; g < OM_SPAN; g++) {
        masks[g] = om_gen_guards(OM_GROUP_LOW + g, s, &fault);
        enabled += OM_POPCOUNT(masks[g]);
        if (fault != 0) {
            om_blame(control, i, 1, fault);
            fault = 0;
        }
    }
    return enabled;
}

/* The label of a state. Assertions are looked at in passing. */
OM_FN om_u64 om_label_of(OM_GLOBAL om_u64 *control, om_u32 i, const om_u32 *s)
{
    om_u64 label = 0;
    om_u32 fault = om_gen_assertions(s);
    if (fault != 0)
        om_blame(control, i, 0, fault);
#if OM_PRODUCT
    fault = 0;
    label = om_gen_labels(s, &fault);
    if (fault != 0)
        om_blame(control, i, 2, fault);
#endif
    return label;
}

/* Writes d with each state that the automaton goes to, from place `at` on; returns the place
 * behind. */
OM_FN om_u64 om_emit(OM_GLOBAL om_u32 *candidates, OM_GLOBAL om_u32 *from, om_u64 at, om_u32 id,
    const om_u32 *d, OM_GLOBAL const om_u32 *begin, OM_GLOBAL const om_u32 *edges,
    OM_GLOBAL const om_u64 *cubes, om_u32 q, om_u64 label)
{
#if OM_PRODUCT
    for (om_u32 e = begin[q]; e < begin[q + 1]; e++) {
        if (!om_matches(edges, cubes, e, label))
            continue;
        OM_GLOBAL om_u32 *row = &candidates[at * OM_ROW];
        for (om_u32 w = 0; w < OM_WORDS; w++)
            row[w] = d[w];
        row[OM_WORDS] = edges[e * 3];
        from[at++] = id;
    }
#else
    OM_GLOBAL om_u32 *row = &candidates[at * OM_ROW];
    for (om_u32 w = 0; w < OM_WORDS; w++)
        row[w] = d[w];
    from[at++] = id;
#endif
    return at;
}

/*
 * A work-item: OM_BATCH states of the chunk. First what is enabled in each and how many candidates
 * that makes, then room for all of them at once, then the candidates. A state's stuttering step
 * comes first. Effects run even where the automaton has no edge: a fault of the model is one all
 * the same.
 */
OM_KERNEL om_k_expand(OM_GLOBAL const om_u32 *table, OM_GLOBAL const om_u32 *list, om_u32 listed,
    om_u32 chunk, OM_GLOBAL om_u64 *control, om_u32 step, om_u32 capacity,
    OM_GLOBAL const om_u32 *begin, OM_GLOBAL const om_u32 *edges, OM_GLOBAL const om_u64 *cubes,
    om_u32 stutter, om_u32 deadlock_ap, OM_GLOBAL om_u64 *labels, OM_GLOBAL om_u32 *enabled,
    OM_GLOBAL om_u32 *candidates, OM_GLOBAL om_u32 *from)
{
    om_u32 first = OM_ID(0) * OM_BATCH;
    if (first >= chunk)
        return;
    OM_GLOBAL om_u64 *record = om_record(control, step);
    om_u32 n = om_chunk_of(record, chunk);
    om_u32 low = (om_u32) record[OM_R_LOW];
    if (record[OM_R_WHY] != OM_RUNS || first >= n)
        return;
    if (control[OM_C_HIT] != OM_NO_STATE) {
        if (first == 0)
            record[OM_R_SEEN] = 1;
        return;
    }
    (void) labels;
    (void) enabled;
    om_u32 s[OM_WORDS], d[OM_WORDS], match[OM_BATCH], still[OM_BATCH];
    om_u64 masks[OM_BATCH][OM_SPAN + 1], label[OM_BATCH], sum = 0;
    om_u32 count = n - first < OM_BATCH ? n - first : OM_BATCH, dead = 0;
    for (om_u32 j = 0; j < count; j++) {
        om_u32 i = first + j, id = listed != 0 ? list[low + i] : low + i;
        OM_GLOBAL const om_u32 *row = &table[(om_u64) id * OM_ROW];
        om_load(s, row);
        om_u32 here = om_enabled(control, i, s, masks[j]), all = here;
#if OM_FIRST
        label[j] = om_label_of(control, i, s);
#else
        label[j] = OM_PRODUCT ? labels[i] : 0;
        all += enabled[i];
#endif
#if !OM_LAST
        if (OM_FIRST && OM_PRODUCT)
            labels[i] = label[j];
        enabled[i] = all;
#endif
        still[j] = OM_LAST && all == 0 && stutter != 0;
        if (OM_LAST && all == 0) {
            dead++;
            if (deadlock_ap < 64)
                label[j] |= (om_u64) 1 << deadlock_ap;
        }
        match[j] = 1;
#if OM_PRODUCT
        match[j] = 0;
        om_u32 q = row[OM_WORDS];
        for (om_u32 e = begin[q]; e < begin[q + 1]; e++)
            match[j] += om_matches(edges, cubes, e, label[j]);
#endif
        sum += (om_u64) (here + still[j]) * match[j];
    }
    om_u64 at = sum != 0 ? om_add64(&record[OM_R_TAKEN], sum) : 0;
    if (dead != 0)
        om_add64(&record[OM_R_DEAD], (om_u64) dead);
#if OM_SPAN > 0 || OM_LAST
    if (at + sum > capacity)
        return;
    for (om_u32 j = 0; j < count; j++) {
        om_u32 i = first + j, id = listed != 0 ? list[low + i] : low + i, q = 0;
        OM_GLOBAL const om_u32 *row = &table[(om_u64) id * OM_ROW];
        om_load(s, row);
#if OM_PRODUCT
        q = row[OM_WORDS];
#endif
        if (still[j] != 0 && match[j] != 0)
            at = om_emit(candidates, from, at, id, s, begin, edges, cubes, q, label[j]);
        for (om_u32 g = 0; g < OM_SPAN; g++) {
            om_u32 base = om_gen_base(OM_GROUP_LOW + g);
            for (om_u64 mask = masks[j][g]; mask != 0; mask &= mask - 1) {
                om_u32 fault = om_gen_effect(base + OM_LOWEST(mask), s, d);
                if (fault != 0)
                    om_blame(control, i, 1, fault);
                if (match[j] != 0)
                    at = om_emit(candidates, from, at, id, d, begin, edges, cubes, q, label[j]);
            }
        }
    }
#endif
}
