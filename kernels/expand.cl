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

/* What a work-item knows of its step. */
typedef struct om_job {
    OM_GLOBAL const om_u32 *table, *list, *begin, *edges;
    OM_GLOBAL const om_u64 *cubes;
    OM_GLOBAL om_u64 *control, *record, *labels;
    OM_GLOBAL om_u32 *enabled, *candidates, *from;
    om_u32 listed, low, base, paths, stutter, deadlock_ap;
} om_job;

/* What the first look at OM_BATCH states finds. */
typedef struct om_found {
    om_u64 masks[OM_BATCH][OM_SPAN + 1], label[OM_BATCH];
    om_u32 match[OM_BATCH] /* edges of the automaton */, still[OM_BATCH] /* stutters */;
} om_found;

OM_FN om_u32 om_state_of(const om_job *job, om_u32 i)
{
    return job->listed != 0 ? job->list[job->low + i] : job->low + i;
}

OM_FN OM_GLOBAL const om_u32 *om_row_at(const om_job *job, om_u32 id)
{
    return &job->table[(om_u64) (id - job->base) * OM_ROW];
}

/* The edges of the automaton's state that the label matches. */
OM_FN om_u32 om_match(const om_job *job, OM_GLOBAL const om_u32 *row, om_u64 label)
{
#if OM_PRODUCT
    om_u32 match = 0, q = row[OM_WORDS];
    for (om_u32 e = job->begin[q]; e < job->begin[q + 1]; e++)
        match += om_matches(job->edges, job->cubes, e, label);
    return match;
#else
    (void) job;
    (void) row;
    (void) label;
    return 1;
#endif
}

/* Looks at state i of the chunk, number j of the batch; returns how many candidates it makes. */
OM_FN om_u64 om_look_at(const om_job *job, om_found *f, om_u32 i, om_u32 j, om_u32 *dead)
{
    om_u32 s[OM_WORDS];
    OM_GLOBAL const om_u32 *row = om_row_at(job, om_state_of(job, i));
    om_load(s, row);
    om_u32 here = om_enabled(job->control, i, s, f->masks[j]), all = here;
    om_u64 label = 0;
#if OM_FIRST
    label = om_label_of(job->control, i, s);
#else
    if (OM_PRODUCT)
        label = job->labels[i];
    all += job->enabled[i];
#endif
#if !OM_LAST
    if (OM_FIRST && OM_PRODUCT)
        job->labels[i] = label;
    job->enabled[i] = all;
#endif
    f->still[j] = OM_LAST && all == 0 && job->stutter != 0;
    if (OM_LAST && all == 0) {
        ++*dead;
        if (job->deadlock_ap < 64)
            label |= (om_u64) 1 << job->deadlock_ap;
    }
    f->label[j] = label;
    f->match[j] = om_match(job, row, label);
    return (om_u64) (here + f->still[j]) * f->match[j];
}

#if OM_SPAN > 0 || OM_LAST

/* Overflows on the way from a state. What counts is a step that is completed: om_advance(). */
OM_FN void om_overflowed(const om_job *job, om_u32 id, om_u32 overflows)
{
    om_add64(&job->record[OM_R_OVER], (om_u64) overflows);
    om_least64(&job->control[OM_C_OVERFLOWN], (om_u64) id);
}

OM_FN void om_comes_from(const om_job *job, om_u64 at, om_u32 id)
{
    if (job->paths != 0)
        job->from[at] = id;
}

/* Writes d with each state that the automaton goes to, from place `at` on; returns the place
 * behind. */
OM_FN om_u64 om_emit(
    const om_job *job, om_u64 at, om_u32 id, const om_u32 *d, om_u32 q, om_u64 label)
{
#if OM_PRODUCT
    for (om_u32 e = job->begin[q]; e < job->begin[q + 1]; e++) {
        if (!om_matches(job->edges, job->cubes, e, label))
            continue;
        OM_GLOBAL om_u32 *row = &job->candidates[at * OM_ROW];
        for (om_u32 w = 0; w < OM_WORDS; w++)
            row[w] = d[w];
        row[OM_WORDS] = job->edges[e * 3];
        om_comes_from(job, at++, id);
    }
#else
    (void) q;
    (void) label;
    OM_GLOBAL om_u32 *row = &job->candidates[at * OM_ROW];
    for (om_u32 w = 0; w < OM_WORDS; w++)
        row[w] = d[w];
    om_comes_from(job, at++, id);
#endif
    return at;
}

/*
 * Writes the successors of state i, number j of the batch; its stuttering step comes first. Effects
 * run even where the automaton has no edge: a fault of the model is one all the same.
 */
OM_FN om_u64 om_write(const om_job *job, const om_found *f, om_u32 i, om_u32 j, om_u64 at)
{
    om_u32 s[OM_WORDS], d[OM_WORDS], id = om_state_of(job, i), overflows = 0;
    OM_GLOBAL const om_u32 *row = om_row_at(job, id);
    om_u32 q = OM_PRODUCT ? row[OM_ROW - 1] : 0;
    om_load(s, row);
    if (f->still[j] != 0 && f->match[j] != 0)
        at = om_emit(job, at, id, s, q, f->label[j]);
    for (om_u32 g = 0; g < OM_SPAN; g++) {
        om_u32 base = om_gen_base(OM_GROUP_LOW + g);
        for (om_u64 mask = f->masks[j][g]; mask != 0; mask &= mask - 1) {
            om_u32 fault = om_gen_effect(base + OM_LOWEST(mask), s, d, &overflows);
            if (fault != 0)
                om_blame(job->control, i, 1, fault);
            if (f->match[j] != 0)
                at = om_emit(job, at, id, d, q, f->label[j]);
        }
    }
    if (OM_OVERFLOWS != 0 && overflows != 0)
        om_overflowed(job, id, overflows);
    return at;
}

#endif

/* A batch of the chunk's states from number `first` on: what is enabled in each and how many
 * candidates that makes, then room for all of them at once, then the candidates. */
OM_FN void om_expand_some(const om_job *job, om_u32 first, om_u32 count, om_u32 capacity)
{
    om_found f;
    om_u64 sum = 0;
    om_u32 dead = 0;
    for (om_u32 j = 0; j < count; j++)
        sum += om_look_at(job, &f, first + j, j, &dead);
    om_u64 at = sum != 0 ? om_add64(&job->record[OM_R_TAKEN], sum) : 0;
    if (dead != 0)
        om_add64(&job->record[OM_R_DEAD], (om_u64) dead);
    if (at + sum > capacity)
        return;
#if OM_SPAN > 0 || OM_LAST
    for (om_u32 j = 0; j < count; j++)
        at = om_write(job, &f, first + j, j, at);
#endif
}

/* The work-items share the chunk, a batch of OM_BATCH states each time. */
OM_KERNEL om_k_expand(OM_GLOBAL const om_u32 *table, OM_GLOBAL const om_u32 *list, om_u32 listed,
    om_u32 chunk, OM_GLOBAL om_u64 *control, om_u32 step, om_u32 capacity,
    OM_GLOBAL const om_u32 *begin, OM_GLOBAL const om_u32 *edges, OM_GLOBAL const om_u64 *cubes,
    om_u32 stutter, om_u32 deadlock_ap, OM_GLOBAL om_u64 *labels, OM_GLOBAL om_u32 *enabled,
    OM_GLOBAL om_u32 *candidates, OM_GLOBAL om_u32 *from)
{
    if (chunk == 0)
        return;
    OM_GLOBAL om_u64 *record = om_record(control, step);
    om_u32 n = om_chunk_of(record, chunk);
    if (record[OM_R_WHY] != OM_RUNS)
        return;
    if (control[OM_C_HIT] != OM_NO_STATE) {
        if (OM_ID == 0)
            record[OM_R_SEEN] = 1;
        return;
    }
    om_job job;
    job.table = table;
    job.list = list;
    job.begin = begin;
    job.edges = edges;
    job.cubes = cubes;
    job.control = control;
    job.record = record;
    job.labels = labels;
    job.enabled = enabled;
    job.candidates = candidates;
    job.from = from;
    job.listed = listed;
    job.low = (om_u32) record[OM_R_LOW];
    job.base = (om_u32) control[OM_C_BASE];
    job.paths = (om_u32) control[OM_C_PATHS];
    job.stutter = stutter;
    job.deadlock_ap = deadlock_ap;
    for (om_u32 first = OM_ID * OM_BATCH; first < n; first += OM_IDS * OM_BATCH)
        om_expand_some(&job, first, n - first < OM_BATCH ? n - first : OM_BATCH, capacity);
}
