/* SPDX-License-Identifier: Apache-2.0 */
/* om_record.h: how the record of a step becomes that of the next one. Behind om_kernel.h. */
#ifndef OM_RECORD_H
#define OM_RECORD_H

/* May the step be completed? Nothing of what this looks at changes behind expand(). */
OM_FN om_u32 om_goes_on(OM_GLOBAL const om_u64 *record, om_u32 capacity, om_u64 most)
{
    return record[OM_R_WHY] == OM_RUNS && record[OM_R_SEEN] == 0 &&
           record[OM_R_TAKEN] <= capacity && record[OM_R_STORED] + record[OM_R_TAKEN] <= most;
}

/* Why nothing is stored in a step that is not completed. */
OM_FN om_u64 om_why_not(OM_GLOBAL const om_u64 *record, om_u32 capacity)
{
    return record[OM_R_WHY] != OM_RUNS       ? record[OM_R_WHY]
           : record[OM_R_SEEN] != 0          ? OM_HIT
           : record[OM_R_TAKEN] > capacity   ? OM_ROOM
                                             : OM_GROW;
}

/* Makes the record of the next step from this one's. */
OM_FN void om_advance(OM_GLOBAL const om_u64 *control, OM_GLOBAL const om_u64 *record,
    OM_GLOBAL om_u64 *next, om_u32 n, om_u64 why)
{
    om_u64 taken = record[OM_R_TAKEN], peak = record[OM_R_PEAK];
    for (om_u32 w = 0; w < OM_R_WORDS; w++)
        next[w] = record[w];
    if (why == OM_ROOM) /* how many there were, for the host */
        next[OM_R_PEAK] = taken > peak ? taken : peak;
    next[OM_R_TAKEN] = next[OM_R_WON] = next[OM_R_DEAD] = next[OM_R_SEEN] = 0;
    next[OM_R_WHY] = why;
    if (why != OM_RUNS)
        return;
    next[OM_R_PEAK] = taken > peak ? taken : peak;
    next[OM_R_FAULTY] = record[OM_R_LOW];
    next[OM_R_LOW] = record[OM_R_LOW] + n;
    next[OM_R_STORED] = record[OM_R_STORED] + record[OM_R_WON];
    next[OM_R_TRANSITIONS] = record[OM_R_TRANSITIONS] + taken;
    next[OM_R_DEADLOCKS] = record[OM_R_DEADLOCKS] + record[OM_R_DEAD];
    next[OM_R_STEPS] = record[OM_R_STEPS] + 1;
    if (control[OM_C_WORST] != ~0ul)
        next[OM_R_WHY] = OM_FAULTS;
    else if (next[OM_R_LOW] == next[OM_R_END]) {
        if (next[OM_R_STORED] == next[OM_R_END])
            next[OM_R_WHY] = OM_DONE;
        else
            next[OM_R_LEVELS]++;
        next[OM_R_END] = next[OM_R_STORED];
    }
}

#endif
