/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixpoint.cl: strong parts, after an exploration: computes what is left of the accepting part when
 * states that are on no accepting cycle are removed. Knows OM_ROW, the words of a row, and no
 * model.
 *
 * rest    by state: not 0 for those that are left
 * now     by state: not 0 for those that were reached since it was zeroed
 * degree  by state: edges that lead to it from states that are left
 *
 * A step expands listed states and finds the entries of the candidates (all are stored, and nothing
 * is put). Then one of the kernels below processes the edges: candidate c leads from state from[c],
 * which is left, to the state of the entry at place[c].
 */
#ifdef OM_KERNEL_ON_HOST
#include "om_kernel.h"
#endif

/* The work-items share n states from number `first` on: at first the whole accepting part is
 * left. */
OM_KERNEL om_k_hold(OM_ROWS_ARG(table), om_u32 first, om_u32 n,
    OM_GLOBAL const om_u8 *accepting, OM_GLOBAL om_u32 *rest)
{
    OM_GATHER(om_rows, table)
    for (om_u32 i = OM_ID; i < n; i += OM_IDS)
        rest[first + i] = accepting[om_row_in(table, first + i, OM_ROW)[OM_ROW - 1]] != 0;
}

/* Likewise: lists the states that are left and that no edge leads to. */
OM_KERNEL om_k_bare(om_u32 first, om_u32 n, OM_GLOBAL const om_u32 *rest,
    OM_GLOBAL const om_u32 *degree, OM_GLOBAL om_u32 *list, OM_GLOBAL om_u32 *length)
{
    for (om_u32 id = first + OM_ID; id - first < n; id += OM_IDS)
        if (rest[id] != 0 && degree[id] == 0)
            list[om_add32(length, 1u)] = id;
}

/* Likewise: removes the states of the rest whose word is zero (`zero` 1) or is not (`zero` 0), and
 * lists the others of the rest. */
OM_KERNEL om_k_keep(om_u32 first, om_u32 n, OM_GLOBAL om_u32 *rest,
    OM_GLOBAL const om_u32 *word, om_u32 zero, OM_GLOBAL om_u32 *list, OM_GLOBAL om_u32 *length)
{
    for (om_u32 id = first + OM_ID; id - first < n; id += OM_IDS) {
        if (rest[id] == 0)
            continue;
        if ((word[id] == 0) == (zero != 0))
            rest[id] = 0;
        else
            list[om_add32(length, 1u)] = id;
    }
}

/* Returns the state that candidate c leads to, if it is left and there is such an edge; else
 * OM_NO_STATE. */
OM_FN om_u32 om_leads_to(OM_GLOBAL const om_u32 *from, om_index index,
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u32 *rest, om_u32 c)
{
    if (from[c] == OM_NO_STATE)
        return OM_NO_STATE;
    om_u32 id = (om_u32) *om_entry_in(index, place[c]) - 1;
    return rest[id] != 0 ? id : OM_NO_STATE;
}

/* The work-items share n candidates. Their targets are reached, and listed the first time; with
 * `count`, the edges are counted. */
OM_KERNEL om_k_reach(OM_GLOBAL const om_u32 *from, om_u32 n, OM_INDEX_ARG(index),
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u32 *rest, om_u32 count,
    OM_GLOBAL om_u32 *degree, OM_GLOBAL om_u32 *now, OM_GLOBAL om_u32 *list,
    OM_GLOBAL om_u32 *length)
{
    OM_GATHER(om_index, index)
    for (om_u32 c = OM_ID; c < n; c += OM_IDS) {
        om_u32 id = om_leads_to(from, index, place, rest, c);
        if (id == OM_NO_STATE)
            continue;
        if (count != 0)
            om_add32(&degree[id], 1u);
        if (om_swap32(&now[id], 1u) == 0)
            list[om_add32(length, 1u)] = id;
    }
}

/* Likewise, for states that are removed: their edges are subtracted, and targets without remaining
 * edges are listed. */
OM_KERNEL om_k_drop(OM_GLOBAL const om_u32 *from, om_u32 n, OM_INDEX_ARG(index),
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u32 *rest, OM_GLOBAL om_u32 *degree,
    OM_GLOBAL om_u32 *list, OM_GLOBAL om_u32 *length)
{
    OM_GATHER(om_index, index)
    for (om_u32 c = OM_ID; c < n; c += OM_IDS) {
        om_u32 id = om_leads_to(from, index, place, rest, c);
        if (id != OM_NO_STATE && om_add32(&degree[id], ~0u) == 1)
            list[om_add32(length, 1u)] = id;
    }
}

/* Likewise, for all states that are left: predecessor[t] becomes one predecessor of t. */
OM_KERNEL om_k_predecessors(OM_GLOBAL const om_u32 *from, om_u32 n, OM_INDEX_ARG(index),
    OM_GLOBAL const om_u64 *place, OM_GLOBAL const om_u32 *rest, OM_GLOBAL om_u32 *predecessor)
{
    OM_GATHER(om_index, index)
    for (om_u32 c = OM_ID; c < n; c += OM_IDS) {
        om_u32 id = om_leads_to(from, index, place, rest, c);
        if (id != OM_NO_STATE)
            om_set32(&predecessor[id], from[c]);
    }
}
