/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.cl: the table of states and its index; knows OM_ROW, the words of a row, and no model.
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
#endif

#define OM_BUCKET 8u
#define OM_BLOCK 32u /* candidates that one work-item counts and packs */
#define OM_WON (1ul << 63)

/* Finaliser of 64-bit hashes: D. Stafford's variant 13 of the Murmur3 mixer. */
OM_FN om_u64 om_mix64(om_u64 h)
{
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ul;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebul;
    return h ^ (h >> 31);
}

OM_FN om_u64 om_hash(OM_GLOBAL const om_u32 *row)
{
    om_u64 h = 0x9e3779b97f4a7c15ul;
    for (om_u32 w = 0; w < OM_ROW; w++) {
        h = (h ^ row[w]) * 0xff51afd7ed558ccdul;
        h ^= h >> 29;
    }
    return om_mix64(h);
}

OM_FN om_u32 om_equal(OM_GLOBAL const om_u32 *a, OM_GLOBAL const om_u32 *b)
{
    om_u32 differ = 0;
    for (om_u32 w = 0; w < OM_ROW; w++)
        differ |= a[w] ^ b[w];
    return differ == 0;
}

/*
 * Finds the row, or puts (fingerprint, number) into the first empty entry of its probe sequence.
 * Returns the entry's place, with OM_WON where this call filled it; OM_WON alone with all bits set
 * when the whole index was full (the host never lets that happen, I2).
 */
OM_FN om_u64 om_find_or_put(OM_GLOBAL const om_u32 *table, om_u32 stored,
    OM_GLOBAL const om_u32 *candidates, OM_GLOBAL om_u64 *index, om_u64 buckets,
    OM_GLOBAL const om_u32 *row, om_u32 number)
{
    om_u64 hash = om_hash(row);
    om_u64 print = hash & 0xffffffff00000000ul;
    om_u64 mine = print | ((om_u64) number + 1);
    om_u64 bucket = hash & (buckets - 1);
    for (om_u64 tried = 0; tried < buckets; tried++) {
        for (om_u32 i = 0; i < OM_BUCKET; i++) {
            om_u64 at = bucket * OM_BUCKET + i;
            om_u64 entry = LOAD64(&index[at]);
            if (entry == 0) {
                entry = om_cas64(&index[at], 0ul, mine);
                if (entry == 0)
                    return at | OM_WON;
            }
            if ((entry & 0xffffffff00000000ul) == print) {
                om_u32 other = (om_u32) entry - 1;
                OM_GLOBAL const om_u32 *there = other < stored
                    ? &table[(om_u64) other * OM_ROW]
                    : &candidates[(om_u64) (other - stored) * OM_ROW];
                if (om_equal(row, there))
                    return at;
            }
        }
        bucket = (bucket + 1) & (buckets - 1);
    }
    return ~0ul;
}

/* One work-item a candidate: place[c] is where its entry is, with OM_WON for the first of equals. */
OM_KERNEL om_k_intern(OM_GLOBAL const om_u32 *table, om_u32 stored,
    OM_GLOBAL const om_u32 *candidates, om_u32 n, OM_GLOBAL om_u64 *index, om_u64 buckets,
    OM_GLOBAL om_u64 *place)
{
    om_u32 c = OM_ID(0);
    if (c < n)
        place[c] = om_find_or_put(table, stored, candidates, index, buckets,
            &candidates[(om_u64) c * OM_ROW], stored + c);
}

/* One work-item a block: how many of its candidates won. */
OM_KERNEL om_k_count(OM_GLOBAL const om_u64 *place, om_u32 n, OM_GLOBAL om_u32 *won)
{
    om_u32 block = OM_ID(0);
    om_u32 count = 0;
    if ((om_u64) block * OM_BLOCK >= n)
        return;
    for (om_u32 i = 0; i < OM_BLOCK; i++) {
        om_u32 c = block * OM_BLOCK + i;
        if (c < n && (place[c] & OM_WON) != 0)
            count++;
    }
    won[block] = count;
}

/*
 * One work-item a block: its winners become the states first[block], first[block] + 1, ... and
 * their entries say so. wanted[q] (with one byte per automaton state, or `watch` 0) marks states of
 * which the lowest number is kept in *hit.
 */
OM_KERNEL om_k_compact(OM_GLOBAL om_u32 *table, OM_GLOBAL om_u32 *parents,
    OM_GLOBAL const om_u32 *candidates, OM_GLOBAL const om_u32 *from, om_u32 n,
    OM_GLOBAL om_u64 *index, OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u32 *first,
    om_u32 watch, OM_GLOBAL const om_u8 *wanted, OM_GLOBAL om_u32 *hit)
{
    om_u32 block = OM_ID(0);
    if ((om_u64) block * OM_BLOCK >= n)
        return;
    om_u32 id = first[block];
    for (om_u32 i = 0; i < OM_BLOCK; i++) {
        om_u32 c = block * OM_BLOCK + i;
        if (c >= n || (place[c] & OM_WON) == 0)
            continue;
        OM_GLOBAL const om_u32 *row = &candidates[(om_u64) c * OM_ROW];
        OM_GLOBAL om_u32 *to = &table[(om_u64) id * OM_ROW];
        for (om_u32 w = 0; w < OM_ROW; w++)
            to[w] = row[w];
        parents[id] = from[c];
        om_u64 at = place[c] & ~OM_WON;
        index[at] = (index[at] & 0xffffffff00000000ul) | ((om_u64) id + 1);
        if (watch != 0 && wanted[row[OM_ROW - 1]] != 0)
            om_min32(hit, id);
        id++;
    }
}

/* One work-item a stored state: puts it into a new index. Rows are distinct, so none is compared. */
OM_KERNEL om_k_reinsert(OM_GLOBAL const om_u32 *table, om_u32 first, om_u32 n,
    OM_GLOBAL om_u64 *index, om_u64 buckets)
{
    if (OM_ID(0) >= n)
        return;
    om_u32 id = first + OM_ID(0);
    om_u64 hash = om_hash(&table[(om_u64) id * OM_ROW]);
    om_u64 mine = (hash & 0xffffffff00000000ul) | ((om_u64) id + 1);
    om_u64 bucket = hash & (buckets - 1);
    for (om_u64 tried = 0; tried < buckets; tried++) {
        for (om_u32 i = 0; i < OM_BUCKET; i++) {
            om_u64 at = bucket * OM_BUCKET + i;
            if (LOAD64(&index[at]) == 0 && om_cas64(&index[at], 0ul, mine) == 0)
                return;
        }
        bucket = (bucket + 1) & (buckets - 1);
    }
}

/* ---- weak parts: counting edges inside the accepting part ---- */

/* Does candidate c stand for an edge inside the accepting part? */
OM_FN om_u32 om_inner(OM_GLOBAL const om_u32 *table, OM_GLOBAL const om_u32 *candidates,
    OM_GLOBAL const om_u32 *from, OM_GLOBAL const om_u8 *accepting, om_u32 c)
{
    om_u32 parent = from[c];
    if (parent == OM_NO_STATE ||
        accepting[candidates[(om_u64) c * OM_ROW + OM_ROW - 1]] == 0)
        return 0;
    return accepting[table[(om_u64) parent * OM_ROW + OM_ROW - 1]] != 0;
}

/* After compact(), one work-item a candidate: every edge inside the accepting part is counted at
 * its target. */
OM_KERNEL om_k_tally(OM_GLOBAL const om_u32 *table, OM_GLOBAL const om_u32 *candidates,
    OM_GLOBAL const om_u32 *from, om_u32 n, OM_GLOBAL const om_u64 *index,
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u8 *accepting, OM_GLOBAL om_u32 *degree)
{
    om_u32 c = OM_ID(0);
    if (c < n && om_inner(table, candidates, from, accepting, c))
        om_add32(&degree[(om_u32) index[place[c] & ~OM_WON] - 1], 1u);
}

/* Lists the accepting states whose count is zero (`zero` 1) or is not (`zero` 0). */
OM_KERNEL om_k_list(OM_GLOBAL const om_u32 *table, om_u32 first, om_u32 n,
    OM_GLOBAL const om_u8 *accepting, OM_GLOBAL const om_u32 *degree, om_u32 zero,
    OM_GLOBAL om_u32 *list, OM_GLOBAL om_u32 *length)
{
    if (OM_ID(0) >= n)
        return;
    om_u32 id = first + OM_ID(0);
    if (accepting[table[(om_u64) id * OM_ROW + OM_ROW - 1]] != 0 &&
        (degree[id] == 0) == (zero != 0))
        list[om_add32(length, 1u)] = id;
}

/* The states that are removed were expanded again: one work-item a candidate takes its edge off
 * its target's count and lists a target that has none left. All rows are stored: nothing is put. */
OM_KERNEL om_k_untally(OM_GLOBAL const om_u32 *table,
    OM_GLOBAL const om_u32 *candidates, OM_GLOBAL const om_u32 *from, om_u32 n,
    OM_GLOBAL const om_u64 *index, OM_GLOBAL const om_u64 *place,
    OM_GLOBAL const om_u8 *accepting, OM_GLOBAL om_u32 *degree, OM_GLOBAL om_u32 *list,
    OM_GLOBAL om_u32 *length)
{
    om_u32 c = OM_ID(0);
    if (c >= n || !om_inner(table, candidates, from, accepting, c))
        return;
    om_u32 id = (om_u32) index[place[c]] - 1;
    if (om_add32(&degree[id], ~0u) == 1)
        list[om_add32(length, 1u)] = id;
}

/* The states that stay were expanded again: before[t] becomes one predecessor that stays. */
OM_KERNEL om_k_before(OM_GLOBAL const om_u32 *table, OM_GLOBAL const om_u32 *candidates,
    OM_GLOBAL const om_u32 *from, om_u32 n, OM_GLOBAL const om_u64 *index,
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u8 *accepting,
    OM_GLOBAL const om_u32 *degree, OM_GLOBAL om_u32 *before)
{
    om_u32 c = OM_ID(0);
    if (c >= n || !om_inner(table, candidates, from, accepting, c))
        return;
    om_u32 id = (om_u32) index[place[c]] - 1;
    if (degree[id] != 0)
        om_swap32(&before[id], from[c]);
}
