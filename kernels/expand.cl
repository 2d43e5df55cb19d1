/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.cl: successors of a chunk of states. Comes after the model's generated text.
 *
 * OM_PRODUCT                1: a row is the model's words and the automaton's state; 0: the words
 * OM_ROW                    words of a row
 * OM_COUNT_HIDDEN           1: states in which AP 0 does not hold are counted; not with OM_PRODUCT
 * OM_GROUP_LOW, _HIGH       the groups of transitions of this slice; undefined: all
 * OM_FIRST, OM_LAST         whether this slice is the first and the last one; undefined: both
 *
 * A large model comes in slices, because compile time grows faster than linearly: one kernel each,
 * queued one after another. Only the first slice evaluates assertions and atomic propositions, so
 * that the others need not be compiled again for each property; the last slice knows whether any
 * transition was enabled, and whether anything went wrong.
 *
 * A chunk is n states: low, low + 1, ... or, with `listed`, the elements of a list from place `low`
 * on. The number of candidates is known only as they are written; without room for them, they are
 * only counted, and the host repeats the step (OM_CAPACITY).
 *
 * A state in which the model goes wrong (a fault of a guard, an effect, an assertion or an atomic
 * proposition) has no successors, and is no deadlock; with OM_C_FAULTS_REPEAT it repeats, unless it
 * has no label. Effects run after places have been taken: candidates of such a state become void.
 *
 * The automaton is data: state q has edges begin[q] .. begin[q + 1] - 1. The target of edge e is
 * edges[e * 3]. The edge is taken if one of its edges[e * 3 + 2] cubes from number edges[e * 3 + 1]
 * on is satisfied. A cube is (positive, negative) bits.
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

/* True if this is one of several slices. */
#define OM_SLICES (!(OM_FIRST && OM_LAST))

/* True if a state can go wrong. A fault found by another slice counts, too. */
#define OM_MAY_FAULT (OM_GEN_FAULTS || OM_SLICES)

/* Records that a state goes wrong. The least such state is kept, with its fault; so is the least
 * where an assertion fails, which is a violation. */
OM_FN void om_blame(OM_GLOBAL om_u64 *control, om_u32 id, om_u32 fault)
{
    om_least64(
        &control[OM_IS_FAILURE(fault) ? OM_C_FAILED : OM_C_FAULT], (om_u64) id << 32 | fault);
}

OM_FN void om_load(om_u32 *s, OM_GLOBAL const om_u32 *row)
{
    for (om_u32 w = 0; w < OM_WORDS; w++)
        s[w] = row[w];
}

OM_FN om_u32 om_matches(
    OM_GLOBAL const om_u32 *edges, OM_GLOBAL const om_u64 *cubes, om_u32 e, om_u64 label)
{
    OM_GLOBAL const om_u32 *edge = &edges[(om_u64) e * 3];
    om_u64 at = edge[1], end = at + edge[2];
    for (; at < end; at++)
        if ((label & cubes[at * 2]) == cubes[at * 2] && (label & cubes[at * 2 + 1]) == 0)
            return 1;
    return 0;
}

/* Computes the masks of this slice's groups. They are 0 after a guard that cannot be evaluated,
 * whose fault goes to *fault, and all 0 if *fault is set already. Returns the number of enabled
 * transitions. */
OM_FN om_u32 om_enabled(const om_u32 *s, om_u64 *masks, om_u32 *fault)
{
    om_u32 enabled = 0;
    for (om_u32 g = 0; g < OM_SPAN; g++) {
        masks[g] = *fault != 0 ? 0 : om_gen_guards(OM_GROUP_LOW + g, s, fault);
        enabled += OM_POPCOUNT(masks[g]);
    }
    return enabled;
}

/* Data of a work-item about its step. */
typedef struct om_expansion {
    om_rows table;
    OM_GLOBAL const om_u32 *list, *begin, *edges;
    OM_GLOBAL const om_u64 *cubes;
    OM_GLOBAL om_u64 *control, *record, *labels;
    OM_GLOBAL om_u32 *so_far, *candidates, *from;
    om_u32 listed, low, base, paths, stutter, repeat, deadlock_ap;
} om_expansion;

/* Results of the first pass over OM_BATCH states. */
typedef struct om_found {
    om_u64 masks[OM_BATCH][OM_SPAN + 1], label[OM_BATCH];
    om_u32 match[OM_BATCH] /* edges of the automaton */, still[OM_BATCH] /* stutters */;
    om_u32 moves[OM_BATCH] /* see OM_MOVES */, count[OM_BATCH] /* candidates */;
    om_u32 fault[OM_BATCH] /* or 0, if no effect goes wrong */;
} om_found;

/* True if a state moves by transitions. */
#define OM_MOVES(F, J) (!OM_MAY_FAULT || (F)->moves[J] != 0)

OM_FN om_u32 om_state_of(const om_expansion *x, om_u32 i)
{
    return x->listed != 0 ? x->list[x->low + i] : x->low + i;
}

OM_FN OM_GLOBAL const om_u32 *om_row_at(const om_expansion *x, om_u32 id)
{
    return om_row_in(x->table, id - x->base, OM_ROW);
}

/* Returns the number of edges of the automaton's state that match the label. */
OM_FN om_u32 om_match(const om_expansion *x, OM_GLOBAL const om_u32 *row, om_u64 label)
{
#if OM_PRODUCT
    om_u32 match = 0, q = row[OM_WORDS];
    for (om_u32 e = x->begin[q]; e < x->begin[q + 1]; e++)
        match += om_matches(x->edges, x->cubes, e, label);
    return match;
#else
    (void) x;
    (void) row;
    (void) label;
    return 1;
#endif
}

/*
 * Inspects state i of the chunk, number j of the batch; returns how many candidates it makes.
 * Faults are met in the order of the vm: an assertion, then guards and effects by transition, then
 * an atomic proposition.
 */
OM_FN om_u64 om_inspect(
    const om_expansion *x, om_found *f, om_u32 i, om_u32 j, om_u32 *dead, om_u32 *hidden)
{
    om_u32 s[OM_WORDS], fault, in_label = 0, all = 0;
    om_u64 label = 0;
    OM_GLOBAL const om_u32 *row = om_row_at(x, om_state_of(x, i));
#if OM_SLICES
    OM_GLOBAL om_u32 *so_far = &x->so_far[(om_u64) i * OM_S_WORDS];
#endif
    (void) hidden;
    om_load(s, row);
#if OM_FIRST
    fault = om_gen_assertions(s);
#if OM_PRODUCT
    label = om_gen_labels(s, &in_label);
#elif OM_COUNT_HIDDEN
    *hidden += (om_gen_labels(s, &in_label) & 1) == 0;
#endif
#else
    fault = so_far[OM_S_FAULT];
    in_label = so_far[OM_S_IN_LABEL];
    all = so_far[OM_S_ENABLED];
    if (OM_PRODUCT)
        label = x->labels[i];
#endif
    om_u32 here = om_enabled(s, f->masks[j], &fault);
    if (!OM_MAY_FAULT)
        fault = in_label = 0;
    all += here;
    if (OM_LAST && all == 0 && fault == 0) {
        ++*dead;
        if (x->deadlock_ap < 64)
            label |= (om_u64) 1 << x->deadlock_ap;
    }
#if OM_FIRST && OM_SLICES
    if (OM_PRODUCT)
        x->labels[i] = label;
    so_far[OM_S_IN_LABEL] = in_label;
    so_far[OM_S_OVERFLOWS] = 0;
#endif
#if OM_SLICES
    so_far[OM_S_ENABLED] = all;
    so_far[OM_S_FAULT] = fault;
#endif
    f->still[j] = OM_LAST && (fault != 0 ? x->repeat != 0 : all == 0 && x->stutter != 0);
    f->moves[j] = fault == 0;
    f->fault[j] = fault != 0 ? fault : in_label;
    f->label[j] = label;
    f->match[j] = in_label != 0 || (fault != 0 && x->repeat == 0) ? 0 : om_match(x, row, label);
    /* A sum beyond 32 bits has no room anyway, and count[] is then not used. */
    om_u64 count = (om_u64) ((OM_MOVES(f, j) ? here : 0) + f->still[j]) * f->match[j];
    f->count[j] = (om_u32) count;
    return count;
}

#if OM_SPAN > 0 || OM_LAST

/* Records overflows of transitions from a state. They count if the step is completed:
 * om_advance(). */
OM_FN void om_overflowed(const om_expansion *x, om_u32 id, om_u32 overflows)
{
    om_add64(&x->record[OM_R_OVER], (om_u64) overflows);
    om_least64(&x->control[OM_C_OVERFLOWN], (om_u64) id);
}

/* Marks a candidate as a stuttering step, which no fault removes. */
#define OM_STAYS 0x80000000u

/* With several slices, records the state's place in the chunk: om_k_void() replaces it by its
 * number. */
OM_FN void om_comes_from(const om_expansion *x, om_u64 at, om_u32 i)
{
    if (OM_SLICES)
        x->from[at] = i;
    else if (x->paths != 0)
        x->from[at] = om_state_of(x, i & ~OM_STAYS);
}

/*
 * Makes candidate number `at` void: it stands for no edge. It has a place nevertheless, so it
 * becomes a copy of the state that was expanded, which is stored, without an origin.
 */
OM_FN void om_void(const om_expansion *x, om_u64 at, OM_GLOBAL const om_u32 *expanded)
{
    OM_GLOBAL om_u32 *row = &x->candidates[at * OM_ROW];
    for (om_u32 w = 0; w < OM_ROW; w++)
        row[w] = expanded[w];
    if (OM_SLICES || x->paths != 0)
        x->from[at] = OM_NO_STATE;
}

/* Writes d with each state that the automaton goes to, from place `at` on; returns the next
 * place. */
OM_FN om_u64 om_emit(
    const om_expansion *x, om_u64 at, om_u32 i, const om_u32 *d, om_u32 q, om_u64 label)
{
#if OM_PRODUCT
    for (om_u32 e = x->begin[q]; e < x->begin[q + 1]; e++) {
        if (!om_matches(x->edges, x->cubes, e, label))
            continue;
        OM_GLOBAL om_u32 *row = &x->candidates[at * OM_ROW];
        for (om_u32 w = 0; w < OM_WORDS; w++)
            row[w] = d[w];
        row[OM_WORDS] = x->edges[(om_u64) e * 3];
        om_comes_from(x, at++, i);
    }
#else
    (void) q;
    (void) label;
    OM_GLOBAL om_u32 *row = &x->candidates[at * OM_ROW];
    for (om_u32 w = 0; w < OM_WORDS; w++)
        row[w] = d[w];
    om_comes_from(x, at++, i);
#endif
    return at;
}

/* Writes the successors of state i, number j of the batch, until an effect goes wrong; returns that
 * fault or 0. The stuttering step comes first. Effects run even if the automaton has no edge,
 * because a fault of the model counts in any case. */
OM_FN om_u32 om_write(
    const om_expansion *x, const om_found *f, om_u32 i, om_u32 j, om_u64 at, om_u32 *overflows)
{
    om_u32 s[OM_WORDS], d[OM_WORDS], fault = 0;
    OM_GLOBAL const om_u32 *row = om_row_at(x, om_state_of(x, i));
    om_u32 q = OM_PRODUCT ? row[OM_ROW - 1] : 0;
    om_load(s, row);
    if (f->still[j] != 0 && f->match[j] != 0)
        at = om_emit(x, at, i | OM_STAYS, s, q, f->label[j]);
    for (om_u32 g = 0; g < OM_SPAN && fault == 0; g++) {
        om_u32 base = om_gen_base(OM_GROUP_LOW + g);
        for (om_u64 mask = f->masks[j][g]; mask != 0 && fault == 0; mask &= mask - 1) {
            fault = om_gen_effect(base + OM_LOWEST(mask), s, d, overflows);
            if (!OM_MAY_FAULT)
                fault = 0;
            if (fault == 0 && OM_MOVES(f, j) && f->match[j] != 0)
                at = om_emit(x, at, i, d, q, f->label[j]);
        }
    }
    return fault;
}

/* After an effect went wrong: the places from `at` up to `end` get no successors. */
OM_FN void om_go_wrong(
    const om_expansion *x, const om_found *f, om_u32 i, om_u32 j, om_u64 at, om_u64 end)
{
    OM_GLOBAL const om_u32 *row = om_row_at(x, om_state_of(x, i));
    if (OM_LAST && x->repeat != 0 && at < end) {
        om_u32 s[OM_WORDS];
        om_load(s, row);
        at = om_emit(x, at, i | OM_STAYS, s, OM_PRODUCT ? row[OM_ROW - 1] : 0, f->label[j]);
    }
    if (at < end)
        om_add64(&x->record[OM_R_LOST], end - at);
    for (; at < end; at++)
        om_void(x, at, row);
}

/* Fills the places from `at` on with the successors of a state; returns the next place. */
OM_FN om_u64 om_expand_one(const om_expansion *x, const om_found *f, om_u32 i, om_u32 j, om_u64 at)
{
    om_u32 overflows = 0;
    om_u64 end = at + f->count[j];
    om_u32 fault = om_write(x, f, i, j, at, &overflows);
    if (fault != 0 && OM_MOVES(f, j))
        om_go_wrong(x, f, i, j, at, end);
#if OM_SLICES
    OM_GLOBAL om_u32 *so_far = &x->so_far[(om_u64) i * OM_S_WORDS];
    if (fault != 0)
        so_far[OM_S_FAULT] = fault;
    so_far[OM_S_OVERFLOWS] += overflows;
    overflows = so_far[OM_S_OVERFLOWS];
#endif
    if (OM_MAY_FAULT && fault == 0)
        fault = f->fault[j];
    if (OM_LAST && fault != 0)
        om_blame(x->control, om_state_of(x, i), fault);
#if OM_OVERFLOWS
    if (OM_LAST && fault == 0 && overflows != 0)
        om_overflowed(x, om_state_of(x, i), overflows);
#endif
    return end;
}

#endif

/* Expands a batch of the chunk's states from number `first` on: determines the enabled transitions
 * and the number of candidates of each, takes room for all of them at once, and writes the
 * candidates. */
OM_FN_APART void om_expand_some(const om_expansion *x, om_u32 first, om_u32 count, om_u32 capacity)
{
    om_found f;
    om_u64 sum = 0;
    om_u32 dead = 0, hidden = 0;
    for (om_u32 j = 0; j < count; j++)
        sum += om_inspect(x, &f, first + j, j, &dead, &hidden);
    om_u64 at = sum != 0 ? om_add64(&x->record[OM_R_TAKEN], sum) : 0;
    if (dead != 0)
        om_add64(&x->record[OM_R_DEAD], (om_u64) dead);
    if (hidden != 0)
        om_add64(&x->record[OM_R_HID], (om_u64) hidden);
    if (at + sum > capacity)
        return;
#if OM_SPAN > 0 || OM_LAST
    for (om_u32 j = 0; j < count; j++)
        at = om_expand_one(x, &f, first + j, j, at);
#endif
}

/* The work-items share the chunk, a batch of OM_BATCH states each time. */
OM_KERNEL om_k_expand(OM_ROWS_ARG(table), OM_GLOBAL const om_u32 *list, om_u32 listed,
    om_u32 chunk, OM_GLOBAL om_u64 *control, om_u32 step, om_u32 capacity,
    OM_GLOBAL const om_u32 *begin, OM_GLOBAL const om_u32 *edges, OM_GLOBAL const om_u64 *cubes,
    om_u32 stutter, om_u32 deadlock_ap, OM_GLOBAL om_u64 *labels, OM_GLOBAL om_u32 *so_far,
    OM_GLOBAL om_u32 *candidates, OM_GLOBAL om_u32 *from)
{
    OM_GATHER(om_rows, table)
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
    om_expansion x;
    x.table = table;
    x.list = list;
    x.begin = begin;
    x.edges = edges;
    x.cubes = cubes;
    x.control = control;
    x.record = record;
    x.labels = labels;
    x.so_far = so_far;
    x.candidates = candidates;
    x.from = from;
    x.listed = listed;
    x.low = (om_u32) record[OM_R_LOW];
    x.base = (om_u32) control[OM_C_BASE];
    x.paths = (om_u32) control[OM_C_PATHS];
    x.stutter = stutter;
    x.repeat = (om_u32) control[OM_C_FAULTS_REPEAT];
    x.deadlock_ap = deadlock_ap;
    for (om_u32 first = OM_ID * OM_BATCH; first < n; first += OM_IDS * OM_BATCH)
        om_expand_some(&x, first, n - first < OM_BATCH ? n - first : OM_BATCH, capacity);
}

#if OM_LAST && OM_SLICES

/* Runs after the last of several slices: candidates that earlier slices wrote for states that went
 * wrong become void, and the others get the number of the state that they come from. */
OM_KERNEL om_k_void(OM_ROWS_ARG(table), OM_GLOBAL const om_u32 *list, om_u32 listed,
    OM_GLOBAL om_u64 *control, om_u32 step, om_u32 capacity, OM_GLOBAL om_u32 *so_far,
    OM_GLOBAL om_u32 *candidates, OM_GLOBAL om_u32 *from)
{
    OM_GATHER(om_rows, table)
    om_u64 lost = 0;
    om_expansion x;
    if (capacity == 0)
        return;
    OM_GLOBAL om_u64 *record = om_record(control, step);
    om_u64 taken = record[OM_R_TAKEN];
    x.table = table;
    x.list = list;
    x.candidates = candidates;
    x.from = from;
    x.listed = listed;
    x.low = (om_u32) record[OM_R_LOW];
    x.base = (om_u32) control[OM_C_BASE];
    if (record[OM_R_WHY] != OM_RUNS || record[OM_R_SEEN] != 0 || taken > capacity)
        return;
    if (control[OM_C_PATHS] == 0 && control[OM_C_FAULT] == ~0ul && control[OM_C_FAILED] == ~0ul)
        return;
    for (om_u64 c = OM_ID; c < taken; c += OM_IDS) {
        om_u32 i = from[c], stays = i & OM_STAYS;
        if (i == OM_NO_STATE)
            continue;
        i ^= stays;
        if (stays == 0 && so_far[(om_u64) i * OM_S_WORDS + OM_S_FAULT] != 0) {
            om_void(&x, c, om_row_at(&x, om_state_of(&x, i)));
            lost++;
        } else
            from[c] = om_state_of(&x, i);
    }
    if (lost != 0)
        om_add64(&record[OM_R_LOST], lost);
}

#endif
