/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_record.h: shared by the two kinds of an index: how the record of a step becomes that of the
 * next one, and how a work-group iterates over candidates. Comes after om_kernel.h.
 */
#ifndef OM_RECORD_H
#define OM_RECORD_H

/* Returns true if the step may be completed. The words read here do not change after expand(). */
OM_FN om_u32 om_goes_on(OM_GLOBAL const om_u64 *record, om_u32 capacity, om_u64 most)
{
    return record[OM_R_WHY] == OM_RUNS && record[OM_R_SEEN] == 0 &&
           record[OM_R_TAKEN] <= capacity && record[OM_R_STORED] + record[OM_R_TAKEN] <= most;
}

/* Returns why nothing is stored in a step that is not completed. */
OM_FN om_u64 om_why_not(OM_GLOBAL const om_u64 *record, om_u32 capacity)
{
    return record[OM_R_WHY] != OM_RUNS     ? record[OM_R_WHY]
           : record[OM_R_SEEN] != 0        ? OM_HIT
           : record[OM_R_TAKEN] > capacity ? OM_CAPACITY
                                           : OM_GROW;
}

/* Makes the record of the next step from this one's. */
OM_FN void om_advance(OM_GLOBAL const om_u64 *control, OM_GLOBAL const om_u64 *record,
    OM_GLOBAL om_u64 *next, om_u32 n, om_u64 why)
{
    om_u64 taken = record[OM_R_TAKEN], peak = record[OM_R_PEAK];
    for (om_u32 w = 0; w < OM_R_WORDS; w++)
        next[w] = record[w];
    if (why == OM_CAPACITY) /* tells the host how many there were */
        next[OM_R_PEAK] = taken > peak ? taken : peak;
    next[OM_R_TAKEN] = next[OM_R_WON] = next[OM_R_DEAD] = next[OM_R_SEEN] = 0;
    next[OM_R_OVER] = next[OM_R_LOST] = next[OM_R_HID] = 0;
    next[OM_R_WHY] = why;
    if (why != OM_RUNS)
        return;
    next[OM_R_PEAK] = taken > peak ? taken : peak;
    next[OM_R_LOW] = record[OM_R_LOW] + n;
    next[OM_R_STORED] = record[OM_R_STORED] + record[OM_R_WON];
    next[OM_R_TRANSITIONS] = record[OM_R_TRANSITIONS] + taken - record[OM_R_LOST];
    next[OM_R_DEADLOCKS] = record[OM_R_DEADLOCKS] + record[OM_R_DEAD];
    next[OM_R_HIDDEN] = record[OM_R_HIDDEN] + record[OM_R_HID];
    next[OM_R_OVERFLOWS] = record[OM_R_OVERFLOWS] + record[OM_R_OVER];
    next[OM_R_STEPS] = record[OM_R_STEPS] + 1;
    if (control[OM_C_FAILED] != ~0ul ||
        (control[OM_C_FAULTS_END] != 0 && control[OM_C_FAULT] != ~0ul))
        next[OM_R_WHY] = OM_FAULTS;
    else if (next[OM_R_LOW] == next[OM_R_END]) {
        if (next[OM_R_STORED] == next[OM_R_END])
            next[OM_R_WHY] = OM_DONE;
        else
            next[OM_R_LEVELS]++;
        next[OM_R_END] = next[OM_R_STORED];
    }
}

/* ---- candidates ---- */

OM_FN om_u32 om_equal(OM_GLOBAL const om_u32 *a, OM_GLOBAL const om_u32 *b, om_u32 words)
{
    om_u32 differ = 0;
    for (om_u32 w = 0; w < words; w++)
        differ |= a[w] ^ b[w];
    return differ == 0;
}

/* The work-items share the candidates, OM_BATCH each in a round. All work-items of a group do the
 * same number of rounds, some of them without candidates in the last ones. */
OM_FN om_u32 om_rounds(om_u32 taken)
{
    om_u32 all = OM_IDS * OM_BATCH;
    return taken / all + (taken % all != 0);
}

OM_FN om_u32 om_first_of(om_u32 round)
{
    return (round * OM_IDS + OM_ID) * OM_BATCH;
}

OM_FN om_u32 om_some_of(om_u32 first, om_u32 taken)
{
    return first >= taken ? 0 : taken - first < OM_BATCH ? taken - first : OM_BATCH;
}

#if OM_FILTER

/*
 * A work-group has a filter in local memory. States that are expanded side by side share
 * successors; a candidate that equals one of the same group and round is dropped without an access
 * to the index in global memory. If two different candidates meet in an entry of the filter, both
 * are kept. The group also reserves the places for all its new states at once.
 */
OM_FN om_u32 om_repeats(
    OM_LOCAL om_u32 *seen, OM_GLOBAL const om_u32 *candidates, om_u32 words, om_u32 c, om_u64 hash)
{
    om_u32 other = om_local_cas32(&seen[(om_u32) hash & (OM_FILTER - 1)], 0u, c + 1);
    return other != 0 && om_equal(&candidates[(om_u64) c * words],
                             &candidates[(om_u64) (other - 1) * words], words);
}

typedef struct om_group {
    om_u64 to;
    om_u32 wins, seen[OM_FILTER];
} om_group;

#define OM_GROUP_VARIABLES OM_SHARED(om_group, group)
/* After this, the filter is empty for all work-items of the group. */
#define OM_GROUP_BEGIN                                             \
    OM_BARRIER;                                                    \
    for (om_u32 f = OM_LOCAL_ID; f < OM_FILTER; f += OM_LOCAL_IDS) \
        group->seen[f] = 0;                                        \
    if (OM_LOCAL_ID == 0)                                          \
        group->wins = 0;                                           \
    OM_BARRIER;
/* `to` becomes the first of N places of this work-item. */
#define OM_GROUP_APPEND(COUNTER, N)                          \
    om_u64 to = om_local_add32(&group->wins, N);             \
    OM_BARRIER;                                              \
    if (OM_LOCAL_ID == 0 && group->wins != 0)                \
        group->to = om_add64(COUNTER, (om_u64) group->wins); \
    OM_BARRIER;                                              \
    to += group->to;

#else

#define OM_GROUP_VARIABLES
#define OM_GROUP_APPEND(COUNTER, N) om_u64 to = (N) != 0 ? om_add64(COUNTER, (om_u64) (N)) : 0;

#endif

#endif
