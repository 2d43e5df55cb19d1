/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.cl: the table of states and its index; knows OM_ROW, the words of a row, and no model.
 *
 * OM_WEAK 1: with the kernels for weak parts of an automaton
 *
 * table   row i is the vector of state i, OM_ROW words
 * index   open addressing in 64-bit entries, 0 for empty, else fingerprint << 32 | number + 1; a
 *         bucket is eight entries (64 bytes), full buckets overflow into the next
 *
 * A number below `stored` is a state; stored + c is candidate c of the chunk being interned, until
 * compact() replaces it by the state that the candidate became.
 *
 * I1  Entries are never removed, so two work-items that look for equal rows see the same probe
 *     sequence and meet at the first entry that was empty: one of them wins it.
 * I2  The host keeps the index at most 0.8 full with all candidates counted, so a probe ends.
 */
#ifdef OM_KERNEL_ON_HOST
#include "om_kernel.h"
#include "om_record.h"
#endif

#define OM_WON (1ul << 63)
#define OM_CLIMB 64 /* maximum number of steps in the search for an ancestor */

OM_FN om_u64 om_hash(OM_GLOBAL const om_u32 *row)
{
    om_u64 h = 0x9e3779b97f4a7c15ul;
    for (om_u32 w = 0; w + 1 < OM_ROW; w += 2) {
        h = (h ^ (row[w] | (om_u64) row[w + 1] << 32)) * 0xff51afd7ed558ccdul;
        h ^= h >> 29;
    }
    if (OM_ROW % 2 != 0)
        h = (h ^ row[OM_ROW - 1]) * 0xff51afd7ed558ccdul;
    return om_mix64(h ^ h >> 29);
}

/* Returns the start of a hash's probe sequence in the index. */
OM_FN om_u64 om_bucket(om_u64 hash, om_u64 buckets)
{
    return (hash & (buckets - 1)) * OM_BUCKET;
}

/* Returns the row of a number. */
OM_FN OM_GLOBAL const om_u32 *om_row_of(
    om_rows table, om_u32 stored, OM_GLOBAL const om_u32 *candidates, om_u32 number)
{
    return number < stored ? om_row_in(table, number, OM_ROW)
                           : &candidates[(om_u64) (number - stored) * OM_ROW];
}

/* Prefetches the row that the hash is likely to meet. */
OM_FN void om_prefetch_row(om_rows table, om_u32 stored,
    OM_GLOBAL const om_u32 *candidates, om_index index, om_u64 buckets, om_u64 hash)
{
    OM_GLOBAL om_u64 *bucket = om_entry_in(index, om_bucket(hash, buckets));
    for (om_u32 i = 0; i < OM_BUCKET; i++) {
        om_u64 entry = LOAD64(&bucket[i]);
        if (entry == 0)
            return;
        if ((entry ^ hash) >> 32 == 0) {
            OM_PREFETCH(om_row_of(table, stored, candidates, (om_u32) entry - 1));
            return;
        }
    }
}

/*
 * Finds the row, or puts (fingerprint, number) into the first empty entry of its probe sequence.
 * Returns the entry's place, with OM_WON if this call filled it; all bits set if the whole index
 * was full (the host prevents that, I2).
 */
OM_FN om_u64 om_find_or_put(om_rows table, om_u32 stored,
    OM_GLOBAL const om_u32 *candidates, om_index index, om_u64 buckets, om_u64 hash,
    om_u32 c)
{
    OM_GLOBAL const om_u32 *row = &candidates[(om_u64) c * OM_ROW];
    om_u64 print = hash & 0xffffffff00000000ul;
    om_u64 mine = print | ((om_u64) (stored + c) + 1);
    om_u64 bucket = om_bucket(hash, buckets);
    for (om_u64 tried = 0; tried < buckets; tried++) {
        OM_GLOBAL om_u64 *entries = om_entry_in(index, bucket);
        for (om_u32 i = 0; i < OM_BUCKET; i++) {
            om_u64 at = bucket + i;
            om_u64 entry = LOAD64(&entries[i]);
            if (entry == 0) {
                entry = om_cas64(&entries[i], 0ul, mine);
                if (entry == 0)
                    return at | OM_WON;
            }
            if ((entry & 0xffffffff00000000ul) == print &&
                om_equal(row, om_row_of(table, stored, candidates, (om_u32) entry - 1), OM_ROW))
                return at;
        }
        bucket = (bucket + OM_BUCKET) & (buckets * OM_BUCKET - 1);
    }
    return ~0ul;
}

/* Looks up n <= OM_BATCH candidates from number `first` on, except those in `skip`. mine[] becomes
 * the list of those that won; returns their number. */
OM_FN om_u32 om_intern_some(om_rows table, om_u32 stored,
    OM_GLOBAL const om_u32 *candidates, om_index index, om_u64 buckets, om_u32 first,
    om_u32 n, const om_u64 *hash, om_u32 skip, om_u32 all, OM_GLOBAL om_u64 *place, om_u32 *mine)
{
    om_u32 wins = 0;
#if OM_BATCH > 1
    for (om_u32 j = 0; j < n; j++)
        om_prefetch_row(table, stored, candidates, index, buckets, hash[j]);
#endif
    for (om_u32 j = 0; j < n; j++) {
        om_u32 c = first + j;
        if ((skip >> j & 1) != 0)
            continue;
        om_u64 at = om_find_or_put(table, stored, candidates, index, buckets, hash[j], c);
        if ((at & OM_WON) != 0)
            mine[wins++] = c;
        if (all != 0 || (at & OM_WON) != 0)
            place[c] = at;
    }
    return wins;
}

/*
 * The work-items share the candidates, OM_BATCH each time. place[c] becomes the place of candidate
 * c's entry, with OM_WON for the first of equals; it is written for winners, or with `all` for
 * every candidate. The winners' numbers are in won[0] ..., in any order. `most` is how many states
 * and candidates together table and index have room for.
 */
OM_KERNEL om_k_intern(OM_ROWS_ARG(table), OM_GLOBAL const om_u32 *candidates,
    OM_INDEX_ARG(index), om_u64 buckets, OM_GLOBAL om_u64 *control, om_u32 step,
    om_u32 capacity, om_u64 most, om_u32 all, OM_GLOBAL om_u64 *place, OM_GLOBAL om_u32 *won)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, index)
    OM_GROUP_VARIABLES
    om_u64 hash[OM_BATCH];
    om_u32 mine[OM_BATCH], skip = 0;
    if (capacity == 0)
        return;
    OM_GLOBAL om_u64 *record = om_record(control, step);
    if (!om_goes_on(record, capacity, most))
        return;
    om_u32 stored = (om_u32) record[OM_R_STORED], taken = (om_u32) record[OM_R_TAKEN];
    for (om_u32 round = 0; round < om_rounds(taken); round++) {
        om_u32 first = om_first_of(round), n = om_some_of(first, taken);
        for (om_u32 j = 0; j < n; j++) {
            hash[j] = om_hash(&candidates[(om_u64) (first + j) * OM_ROW]);
            OM_PREFETCH(om_entry_in(index, om_bucket(hash[j], buckets)));
        }
#if OM_FILTER
        OM_GROUP_BEGIN
        skip = 0;
        for (om_u32 j = 0; j < n && all == 0; j++)
            skip |= om_repeats(group->seen, candidates, OM_ROW, first + j, hash[j] >> 8) << j;
#endif
        om_u32 wins = om_intern_some(table, stored, candidates, index, buckets, first, n, hash,
            skip, all, place, mine);
        OM_GROUP_APPEND(&record[OM_R_WON], wins)
        for (om_u32 j = 0; j < wins; j++)
            won[to + j] = mine[j];
    }
}

/*
 * The work-items share the winners. They become the states stored, stored + 1, ...; their entries
 * are updated. wanted[q] (one byte per automaton state, unless `watch` is 0) marks wanted states,
 * of which the lowest number is kept. The first work-item makes the next step's record; with more
 * than `most_states` states (0: no limit) nothing is stored.
 */
OM_KERNEL om_k_compact(OM_ROWS_ARG(table), OM_GLOBAL om_u32 *parents,
    OM_GLOBAL const om_u32 *candidates, OM_GLOBAL const om_u32 *from, OM_INDEX_ARG(index),
    OM_GLOBAL om_u64 *control, om_u32 step, om_u32 then, om_u32 chunk, om_u32 capacity, om_u64 most,
    om_u64 most_states, OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u32 *won, om_u32 watch,
    OM_GLOBAL const om_u8 *wanted)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, index)
    if (capacity == 0)
        return;
    OM_GLOBAL om_u64 *record = om_record(control, step);
    om_u32 winners = (om_u32) record[OM_R_WON], stored = (om_u32) record[OM_R_STORED];
    om_u64 why = om_goes_on(record, capacity, most) ? OM_RUNS : om_why_not(record, capacity);
    if (why == OM_RUNS && most_states != 0 && (om_u64) stored + winners > most_states)
        why = OM_STATES;
    if (OM_ID == 0)
        om_advance(control, record, om_record(control, then), om_chunk_of(record, chunk), why);
    if (why != OM_RUNS)
        return;
    for (om_u32 k = OM_ID; k < winners; k += OM_IDS) {
        om_u32 c = won[k];
        om_u64 id = (om_u64) stored + k, at = place[c] & ~OM_WON;
        OM_GLOBAL const om_u32 *row = &candidates[(om_u64) c * OM_ROW];
        OM_GLOBAL om_u32 *to = om_row_in(table, id, OM_ROW);
        OM_GLOBAL om_u64 *entry = om_entry_in(index, at);
        for (om_u32 w = 0; w < OM_ROW; w++)
            to[w] = row[w];
        parents[id] = from[c];
        *entry = (*entry & 0xffffffff00000000ul) | (id + 1);
        if (watch != 0 && wanted[row[OM_ROW - 1]] != 0)
            om_least64(&control[OM_C_HIT], id);
    }
}

/* Puts n <= OM_BATCH stored states into an index. Rows are distinct, so none is compared. */
OM_FN void om_reinsert_some(om_rows table, om_u32 first, om_u32 n,
    om_index index, om_u64 buckets)
{
    om_u64 hash[OM_BATCH];
    for (om_u32 j = 0; j < n; j++) {
        hash[j] = om_hash(om_row_in(table, first + j, OM_ROW));
        OM_PREFETCH(om_entry_in(index, om_bucket(hash[j], buckets)));
    }
    for (om_u32 j = 0; j < n; j++) {
        om_u64 mine = (hash[j] & 0xffffffff00000000ul) | ((om_u64) (first + j) + 1);
        om_u64 at = om_bucket(hash[j], buckets);
        /* At most every entry is tried (I2); the buckets are adjacent. */
        for (om_u64 tried = 0; tried < buckets * OM_BUCKET; tried++) {
            OM_GLOBAL om_u64 *entry = om_entry_in(index, at);
            if (LOAD64(entry) == 0 && om_cas64(entry, 0ul, mine) == 0)
                break;
            at = (at + 1) & (buckets * OM_BUCKET - 1);
        }
    }
}

/* The work-items share n stored states from number `first` on. */
OM_KERNEL om_k_reinsert(OM_ROWS_ARG(table), om_u32 first, om_u32 n,
    OM_INDEX_ARG(index), om_u64 buckets)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, index)
    for (om_u32 i = OM_ID * OM_BATCH; i < n; i += OM_IDS * OM_BATCH)
        om_reinsert_some(table, first + i, n - i < OM_BATCH ? n - i : OM_BATCH, index, buckets);
}

#if OM_WEAK

/* ---- weak parts: counting edges inside the accepting part ---- */

/* Returns true if candidate c stands for an edge inside the accepting part. */
OM_FN om_u32 om_inner(om_rows table, OM_GLOBAL const om_u32 *candidates,
    OM_GLOBAL const om_u32 *from, OM_GLOBAL const om_u8 *accepting, om_u32 c)
{
    om_u32 parent = from[c];
    if (parent == OM_NO_STATE ||
        accepting[candidates[(om_u64) c * OM_ROW + OM_ROW - 1]] == 0)
        return 0;
    return accepting[om_row_in(table, parent, OM_ROW)[OM_ROW - 1]] != 0;
}

/* Returns true if `above` equals `below`, or is its ancestor in the tree of parents with only
 * accepting states between them. False may only mean that OM_CLIMB steps did not reach it. Parents
 * have lower numbers. */
OM_FN om_u32 om_is_above(om_rows table, OM_GLOBAL const om_u32 *parents,
    OM_GLOBAL const om_u8 *accepting, om_u32 above, om_u32 below)
{
    for (om_u32 steps = 0; steps < OM_CLIMB && below > above; steps++) {
        below = parents[below];
        if (below == OM_NO_STATE || accepting[om_row_in(table, below, OM_ROW)[OM_ROW - 1]] == 0)
            return 0;
    }
    return below == above;
}

/*
 * After compact(), for each candidate: counts every edge inside the accepting part at its target;
 * OM_C_CROWDED is set if a count wraps round to 0. `step` and `then` are those of compact(). With
 * `climb`, an edge from a state to an ancestor, or to itself, closes a cycle: the ancestor counts
 * as wanted.
 */
OM_KERNEL om_k_tally(OM_ROWS_ARG(table), OM_GLOBAL const om_u32 *parents,
    OM_GLOBAL const om_u32 *candidates, OM_GLOBAL const om_u32 *from, OM_GLOBAL om_u64 *control,
    om_u32 step, om_u32 then, om_u32 capacity, OM_INDEX_ARG(index),
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u8 *accepting, om_u32 climb,
    OM_GLOBAL om_u32 *degree)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, index)
    if (capacity == 0)
        return;
    OM_GLOBAL const om_u64 *record = om_record(control, step);
    om_u64 taken = record[OM_R_TAKEN];
    /* A step that was not completed leaves the number of steps unchanged. */
    if (om_record(control, then)[OM_R_STEPS] == record[OM_R_STEPS])
        return;
    for (om_u64 c = OM_ID; c < taken; c += OM_IDS) {
        if (!om_inner(table, candidates, from, accepting, (om_u32) c))
            continue;
        om_u32 id = (om_u32) *om_entry_in(index, place[c] & ~OM_WON) - 1;
        if (om_add32(&degree[id], 1u) == ~0u)
            om_add64(&control[OM_C_CROWDED], 1ul);
        if (climb != 0 && om_is_above(table, parents, accepting, id, from[c]))
            om_least64(&control[OM_C_HIT], (om_u64) id);
    }
}

/* Lists the accepting states whose count is zero (`zero` 1) or is not (`zero` 0). */
OM_KERNEL om_k_list(OM_ROWS_ARG(table), om_u32 first, om_u32 n,
    OM_GLOBAL const om_u8 *accepting, OM_GLOBAL const om_u32 *degree, om_u32 zero,
    OM_GLOBAL om_u32 *list, OM_GLOBAL om_u32 *length)
{
    OM_GATHER(om_rows, table)
    for (om_u32 i = OM_ID; i < n; i += OM_IDS) {
        om_u32 id = first + i;
        if (accepting[om_row_in(table, id, OM_ROW)[OM_ROW - 1]] != 0 &&
            (degree[id] == 0) == (zero != 0))
            list[om_add32(length, 1u)] = id;
    }
}

/* The removed states were expanded again: subtracts each candidate's edge from its target's count,
 * and lists a target whose count becomes zero, if it is below `bound`: edges of the other states
 * were not counted. All rows are stored: nothing is put. */
OM_KERNEL om_k_untally(OM_ROWS_ARG(table),
    OM_GLOBAL const om_u32 *candidates, OM_GLOBAL const om_u32 *from, om_u32 n,
    OM_INDEX_ARG(index), OM_GLOBAL const om_u64 *place,
    OM_GLOBAL const om_u8 *accepting, om_u32 bound, OM_GLOBAL om_u32 *degree,
    OM_GLOBAL om_u32 *list, OM_GLOBAL om_u32 *length)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, index)
    for (om_u32 c = OM_ID; c < n; c += OM_IDS) {
        if (!om_inner(table, candidates, from, accepting, c))
            continue;
        om_u32 id = (om_u32) *om_entry_in(index, place[c]) - 1;
        if (om_add32(&degree[id], ~0u) == 1 && id < bound)
            list[om_add32(length, 1u)] = id;
    }
}

/* The states that stay were expanded again: before[t] becomes one predecessor of t that stays. */
OM_KERNEL om_k_before(OM_ROWS_ARG(table), OM_GLOBAL const om_u32 *candidates,
    OM_GLOBAL const om_u32 *from, om_u32 n, OM_INDEX_ARG(index),
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u8 *accepting,
    OM_GLOBAL const om_u32 *degree, OM_GLOBAL om_u32 *before)
{
    OM_GATHER(om_rows, table)
    OM_GATHER(om_index, index)
    for (om_u32 c = OM_ID; c < n; c += OM_IDS) {
        if (!om_inner(table, candidates, from, accepting, c))
            continue;
        om_u32 id = (om_u32) *om_entry_in(index, place[c]) - 1;
        if (degree[id] != 0)
            om_set32(&before[id], from[c]);
    }
}

#endif
