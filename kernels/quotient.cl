/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quotient.cl: the index whose entries are the states themselves. Replaces store.cl if a state has
 * few enough bits and its number is not needed. Knows no model and no widths, so that a device
 * needs one program for all of them.
 *
 * OM_TRIES   buckets that a state may be in, at most 15
 *
 * A bijection mixes the bits of a state. Some bits of the result, as many as needed, choose the
 * home bucket; an entry holds the rest, which is the quotienting of Cleary 1984 (see also Knuth,
 * TAOCP 3, exercise 6.4-13). Together with its place, the entry is the state, so that a lookup
 * reads no vector and confuses no states. If the home is full, other buckets follow by double
 * hashing; four bits of the entry say which of them it is in.
 *
 *     entry = (1 + try) << 60 | rest, 0 for empty
 *
 * S1  A state has at most 60 + log2(buckets) bits, and there are at least 16 buckets: the rest has
 *     60 bits.
 * S2  Entries are never removed (but for S3). So two work-items that look for the same state see
 *     the same sequence of entries, and meet at the first that was empty: one of them wins it.
 * S3  A state that finds no place in any of its buckets makes the step void: om_k_move() removes
 *     the states of the step that found one, before anything else is put in, and the host makes
 *     the index larger. No earlier entry was displaced by one of these.
 *
 * Row i of the table is that of state i + the base: if no path will be requested, the host drops
 * the rows of expanded states.
 */
#ifdef OM_KERNEL_ON_HOST
#include "om_kernel.h"
#include "om_record.h"
#endif

#define OM_REST_BITS 60
#define OM_REST ((1ul << OM_REST_BITS) - 1)

/* ---- keys ---- */

typedef struct om_key {
    om_u64 low, high; /* high: bits 64 and up, below 2^16 */
} om_key;

/* The form of a row: its number of words; the number of bits used in all words; and in byte w the
 * position in the key where the bits of word w begin. They end where those of the next word begin;
 * the other bits of the word are 0. */
typedef struct om_form {
    om_u32 words, key_bits;
    om_u64 shifts;
} om_form;

/* A bijection on numbers of key_bits bits whose low result bits depend on all input bits: XOR with
 * a right shift, and multiplication by an odd factor, are invertible. It is the Murmur3 mixer, cut
 * to the width. */
OM_FN om_key om_mix(om_key k, om_u32 key_bits)
{
    const om_u64 mask = ~0ul >> ((64 - key_bits) & 63);
    const om_u32 by = (key_bits + 1) / 2;
    if (key_bits >= 64) { /* the high bits do not change, and affect the others */
        k.low = om_mix64(k.low ^ k.high * 0x9e3779b97f4a7c15ul);
        return k;
    }
    k.low = (k.low ^ k.low >> by) * 0xbf58476d1ce4e5b9ul & mask;
    k.low = (k.low ^ k.low >> by) * 0x94d049bb133111ebul & mask;
    k.low ^= k.low >> by;
    return k;
}

OM_FN om_key om_key_of(OM_GLOBAL const om_u32 *row, const om_form *f)
{
    om_key k;
    k.low = k.high = 0;
    for (om_u32 w = 0; w < f->words; w++) {
        om_u64 bits = row[w];
        om_u32 at = (om_u32) (f->shifts >> 8 * w) & 0xffu;
        k.low |= at < 64 ? bits << (at & 63) : 0;
        k.high |= at >= 64 ? bits << (at & 63) : at > 32 ? bits >> (64 - at) : 0;
    }
    return om_mix(k, f->key_bits);
}

/* ---- places ---- */

/* Where a mixed key may be, in 2^bits buckets. */
typedef struct om_spot {
    om_u64 home, rest;
} om_spot;

OM_FN om_spot om_spot_of(om_key k, om_u32 bits)
{
    om_spot p;
    p.home = k.low & ((1ul << bits) - 1);
    p.rest = k.low >> bits;
    p.rest |= k.high << (64 - bits);
    return p;
}

/* Returns the bucket of a try. */
OM_FN om_u64 om_bucket_of(om_u64 home, om_u64 rest, om_u32 tried, om_u32 bits)
{
    return (home + (rest | 1) * tried) & ((1ul << bits) - 1);
}

OM_FN om_u64 om_entry_of(om_u64 rest, om_u32 tried)
{
    return (om_u64) (tried + 1) << OM_REST_BITS | rest;
}

/* Returns the key that an entry represents. */
OM_FN om_key om_key_at(om_u64 bucket, om_u64 entry, om_u32 bits)
{
    om_key k;
    om_u64 rest = entry & OM_REST, tried = (entry >> OM_REST_BITS) - 1;
    om_u64 home = (bucket - (rest | 1) * tried) & ((1ul << bits) - 1);
    k.low = home | rest << bits;
    k.high = rest >> (64 - bits);
    return k;
}

#define OM_IS_OLD 0u
#define OM_IS_NEW 1u
#define OM_IS_OUT 2u /* no place */

/* Finds the key, or puts it into the first empty entry of its buckets. */
OM_FN om_u32 om_settle(om_index index, om_u32 bits, om_key k)
{
    om_spot p = om_spot_of(k, bits);
    OM_ROLLED
    for (om_u32 tried = 0; tried < OM_TRIES; tried++) {
        om_u64 mine = om_entry_of(p.rest, tried);
        OM_GLOBAL om_u64 *bucket =
            om_entry_in(index, om_bucket_of(p.home, p.rest, tried, bits) * OM_BUCKET);
        for (om_u32 i = 0; i < OM_BUCKET; i++) {
            om_u64 entry = LOAD64(&bucket[i]);
            if (entry == 0) {
                entry = om_cas64(&bucket[i], 0ul, mine);
                if (entry == 0)
                    return OM_IS_NEW;
            }
            if (entry == mine)
                return OM_IS_OLD;
        }
    }
    return OM_IS_OUT;
}

/* ---- steps ---- */

/* Data of a work-item about its step. */
typedef struct om_put {
    om_rows table;
    om_index index;
    OM_GLOBAL om_u32 *parents;
    OM_GLOBAL const om_u32 *candidates, *from;
    OM_GLOBAL om_u64 *control;
    OM_GLOBAL const om_u8 *wanted;
    om_u64 base, stored;
    om_u32 bits, paths, watch;
    om_form form;
} om_put;

/* Computes the keys of n <= OM_BATCH candidates from number `first` on. */
OM_FN void om_keys_of(const om_put *p, om_u32 first, om_u32 n, om_key *keys)
{
    for (om_u32 j = 0; j < n; j++) {
        keys[j] = om_key_of(&p->candidates[(om_u64) (first + j) * p->form.words], &p->form);
        OM_PREFETCH(om_entry_in(p->index, om_spot_of(keys[j], p->bits).home * OM_BUCKET));
    }
}

/* Looks up the candidates, except those in `skip`. mine[] becomes the list of new ones; returns
 * their number. *out becomes 1 if a candidate found no place. */
OM_FN om_u32 om_put_some(const om_put *p, om_u32 first, om_u32 n, const om_key *keys, om_u32 skip,
    om_u32 *mine, om_u32 *out)
{
    om_u32 wins = 0;
    for (om_u32 j = 0; j < n; j++) {
        if ((skip >> j & 1) != 0)
            continue;
        om_u32 is = om_settle(p->index, p->bits, keys[j]);
        if (is == OM_IS_NEW)
            mine[wins++] = first + j;
        else if (is == OM_IS_OUT)
            *out = 1;
    }
    return wins;
}

/* Candidate c becomes state id. */
OM_FN void om_store(const om_put *p, om_u32 c, om_u64 id)
{
    const om_u32 words = p->form.words;
    OM_GLOBAL const om_u32 *row = &p->candidates[(om_u64) c * words];
    OM_GLOBAL om_u32 *to = om_row_in(p->table, id - p->base, words);
    for (om_u32 w = 0; w < words; w++)
        to[w] = row[w];
    if (p->paths != 0)
        p->parents[id] = p->from[c];
    if (p->watch != 0 && p->wanted[row[words - 1]] != 0)
        om_least64(&p->control[OM_C_HIT], id);
}

/*
 * The work-items share the candidates, OM_BATCH each time. New ones become the states stored,
 * stored + 1, ..., in any order. `most` is how many states and candidates together table and index
 * have room for; wanted[q] (one byte per automaton state, unless `watch` is 0) marks wanted states,
 * of which the lowest number is kept.
 */
OM_KERNEL om_k_put(OM_ROWS_ARG(table), OM_GLOBAL om_u32 *parents,
    OM_GLOBAL const om_u32 *candidates, OM_GLOBAL const om_u32 *from, OM_INDEX_ARG(index),
    om_u32 bits, om_u32 words, om_u32 key_bits, om_u64 shifts, OM_GLOBAL om_u64 *control, om_u32 step,
    om_u32 capacity, om_u64 most, om_u32 watch, OM_GLOBAL const om_u8 *wanted)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, index)
    OM_GROUP_VARIABLES
    om_key keys[OM_BATCH];
    om_u32 mine[OM_BATCH], skip = 0, out = 0;
    if (capacity == 0)
        return;
    OM_GLOBAL om_u64 *record = om_record(control, step);
    if (!om_goes_on(record, capacity, most))
        return;
    om_put p;
    p.table = table;
    p.parents = parents;
    p.candidates = candidates;
    p.from = from;
    p.index = index;
    p.control = control;
    p.wanted = wanted;
    p.base = control[OM_C_BASE];
    p.stored = record[OM_R_STORED];
    p.bits = bits;
    p.form.words = words;
    p.form.key_bits = key_bits;
    p.form.shifts = shifts;
    p.paths = (om_u32) control[OM_C_PATHS];
    p.watch = watch;
    om_u32 taken = (om_u32) record[OM_R_TAKEN];
    for (om_u32 round = 0; round < om_rounds(taken); round++) {
        om_u32 first = om_first_of(round), n = om_some_of(first, taken);
        om_keys_of(&p, first, n, keys);
#if OM_FILTER
        OM_GROUP_BEGIN
        skip = 0;
        for (om_u32 j = 0; j < n; j++)
            skip |= om_repeats(group->seen, candidates, words, first + j, keys[j].low >> bits) << j;
#endif
        om_u32 wins = om_put_some(&p, first, n, keys, skip, mine, &out);
        OM_GROUP_APPEND(&record[OM_R_WON], wins)
        for (om_u32 j = 0; j < wins; j++)
            om_store(&p, mine[j], p.stored + to + j);
    }
    if (out != 0)
        om_add64(&record[OM_R_FULL], 1ul);
}

/* One work-item makes the next step's record. With more than `most_states` states (0: no limit) the
 * step is void. */
OM_KERNEL om_k_advance(OM_GLOBAL om_u64 *control, om_u32 step, om_u32 then, om_u32 chunk,
    om_u32 capacity, om_u64 most, om_u64 most_states)
{
    if (capacity == 0 || OM_ID != 0)
        return;
    OM_GLOBAL om_u64 *record = om_record(control, step), *next = om_record(control, then);
    om_u64 winners = record[OM_R_WON], full = record[OM_R_FULL];
    om_u64 why = om_goes_on(record, capacity, most) ? OM_RUNS : om_why_not(record, capacity);
    if (why == OM_RUNS && full != 0)
        why = OM_GROW;
    else if (why == OM_RUNS && most_states != 0 && record[OM_R_STORED] + winners > most_states)
        why = OM_STATES;
    om_advance(control, record, next, om_chunk_of(record, chunk), why);
    if (record[OM_R_WHY] == OM_RUNS && full != 0)
        next[OM_R_FULL] = winners + 1;
}

/* ---- growth ---- */

#define OM_MOVE_ROWS 0u    /* puts in the keys of rows */
#define OM_MOVE_BUCKETS 1u /* puts in the keys in the buckets of another index */
#define OM_MOVE_OUT 2u     /* removes the keys of rows: see S3 */

OM_FN void om_take_out(om_index index, om_u32 bits, om_key k)
{
    om_spot p = om_spot_of(k, bits);
    OM_ROLLED
    for (om_u32 tried = 0; tried < OM_TRIES; tried++) {
        om_u64 mine = om_entry_of(p.rest, tried);
        OM_GLOBAL om_u64 *bucket =
            om_entry_in(index, om_bucket_of(p.home, p.rest, tried, bits) * OM_BUCKET);
        for (om_u32 i = 0; i < OM_BUCKET; i++)
            if (LOAD64(&bucket[i]) == mine)
                (void) om_cas64(&bucket[i], mine, 0ul);
    }
}

/* Keys that a work-item holds at once: as many as a CPU should prefetch before it reads the first;
 * else one, which stays in registers (X % 1 is a constant), while neighbouring work-items hold the
 * next ones. */
#ifdef OM_PREFETCHES
#define OM_MOVED OM_BUCKET
#else
#define OM_MOVED 1u
#endif

/* Gets the key of row number `at` or, with `buckets`, of an entry of the old index. Returns 0 if
 * the entry is empty. */
OM_FN om_u32 om_key_to_move(om_rows table, om_index old, om_u32 buckets, om_u32 old_bits, om_u64 at,
    const om_form *form, om_key *key)
{
    if (buckets == 0) {
        *key = om_key_of(om_row_in(table, at, form->words), form);
        return 1;
    }
    om_u64 entry = *om_entry_in(old, at);
    if (entry == 0)
        return 0;
    *key = om_key_at(at / OM_BUCKET, entry, old_bits);
    return 1;
}

/*
 * The work-items share n rows, or the entries of n buckets, from number `first` on. Their keys are
 * put into the index, or removed. None is present yet, so keys are not compared. *out counts those
 * that found no place. One kernel does all three, because compiling takes long. 8 n is below 2^31.
 */
OM_KERNEL om_k_move(om_u32 what, OM_ROWS_ARG(table), OM_INDEX_ARG(old),
    om_u32 old_bits, om_u64 first, om_u32 n, OM_INDEX_ARG(index), om_u32 bits, om_u32 words,
    om_u32 key_bits, om_u64 shifts, OM_GLOBAL om_u32 *out)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, old)
    OM_GATHER(om_index, index)
    om_key keys[OM_MOVED];
    om_form form;
    form.words = words;
    form.key_bits = key_bits;
    form.shifts = shifts;
    const om_u32 buckets = what == OM_MOVE_BUCKETS, each = buckets != 0 ? OM_BUCKET : 1;
    om_u32 lost = 0;
    for (om_u32 i = OM_ID * OM_MOVED; i < n * each; i += OM_IDS * OM_MOVED) {
        om_u32 some = 0;
        for (om_u32 b = 0; b < OM_MOVED && i + b < n * each; b++)
            some += om_key_to_move(table, old, buckets, old_bits, first * each + i + b, &form,
                &keys[some % OM_MOVED]);
        for (om_u32 j = 0; j < some; j++)
            OM_PREFETCH(om_entry_in(
                index, om_spot_of(keys[j % OM_MOVED], bits).home * OM_BUCKET));
        for (om_u32 j = 0; j < some; j++)
            if (what == OM_MOVE_OUT)
                om_take_out(index, bits, keys[j % OM_MOVED]);
            else
                lost += om_settle(index, bits, keys[j % OM_MOVED]) == OM_IS_OUT;
    }
    if (lost != 0)
        om_add32(out, lost);
}
