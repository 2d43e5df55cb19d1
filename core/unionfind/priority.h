/* SPDX-License-Identifier: Apache-2.0 */
/* priority.h: the order in which roots are linked, by both kinds of union-find. */
#ifndef OM_UNIONFIND_PRIORITY_H
#define OM_UNIONFIND_PRIORITY_H

#include <omen/plugin/product.h>

/* A fixed random order on ids: multiplication by an odd number is a bijection, so there are no
 * ties. */
static inline uint64_t om_unionfind__priority(om_id id)
{
    uint64_t z = (id + 1) * 0x9e3779b97f4a7c15u;
    z ^= z >> 32;
    return z * 0xd6e8feb86659fd93u;
}

#endif
