/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share.cl: runs after an expansion if several devices explore together. Candidates that belong to
 * this device go to one list, those of other devices to another, which the host transfers.
 *
 * OM_ROW                    words of a row
 *
 * The origin of a candidate becomes (number of the state) * devices + me, a number among the states
 * of all devices.
 */
#ifdef OM_KERNEL_ON_HOST
#include "om_kernel.h"
#include "om_share.h"
#endif

OM_FN om_u32 om_owner(OM_GLOBAL const om_u32 *row, om_u32 devices)
{
    om_u64 h = OM_OWNER_START;
    for (om_u32 w = 0; w < OM_ROW; w++)
        OM_OWNER_MIX(h, row[w]);
    return (om_u32) OM_OWNER_OF(h, (om_u64) devices);
}

OM_FN void om_hand_on(OM_GLOBAL const om_u32 *row, OM_GLOBAL om_u32 *to)
{
    for (om_u32 w = 0; w < OM_ROW; w++)
        to[w] = row[w];
}

/*
 * The work-items share the candidates of step 0, OM_BATCH each time. counts[0] becomes the number
 * of candidates that stay, counts[1] that of those that leave; both lists have room for `capacity`,
 * like the candidates. If the candidates exceed it, nothing happens. With `paths` 0 origins are not
 * needed.
 */
OM_KERNEL om_k_share(OM_GLOBAL const om_u32 *candidates, OM_GLOBAL const om_u32 *from,
    OM_GLOBAL om_u64 *control, om_u32 capacity, om_u32 me, om_u32 devices, om_u32 paths,
    OM_GLOBAL om_u32 *own, OM_GLOBAL om_u32 *own_from, OM_GLOBAL om_u32 *out,
    OM_GLOBAL om_u32 *out_from, OM_GLOBAL om_u32 *counts)
{
    if (capacity == 0)
        return;
    om_u64 taken = om_record(control, 0)[OM_R_TAKEN];
    if (taken > capacity)
        return;
    for (om_u32 first = OM_ID * OM_BATCH; first < taken; first += OM_IDS * OM_BATCH) {
        om_u32 n = taken - first < OM_BATCH ? (om_u32) taken - first : OM_BATCH, stay = 0;
        om_u32 mine[OM_BATCH];
        for (om_u32 j = 0; j < n; j++) {
            mine[j] = om_owner(&candidates[(om_u64) (first + j) * OM_ROW], devices) == me;
            stay += mine[j];
        }
        om_u32 at = stay != 0 ? om_add32(&counts[0], stay) : 0;
        om_u32 away = stay != n ? om_add32(&counts[1], n - stay) : 0;
        for (om_u32 j = 0; j < n; j++) {
            om_u32 c = first + j, to = mine[j] != 0 ? at++ : away++;
            om_hand_on(&candidates[(om_u64) c * OM_ROW],
                &(mine[j] != 0 ? own : out)[(om_u64) to * OM_ROW]);
            if (paths != 0)
                (mine[j] != 0 ? own_from : out_from)[to] = from[c] * devices + me;
        }
    }
}
