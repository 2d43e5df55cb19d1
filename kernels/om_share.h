/* SPDX-License-Identifier: Apache-2.0 */
/*
 * om_share.h: which of several devices a row belongs to; C11 and OpenCL C. It has its own hash
 * function: the way a device's table hashes a row must not depend on which rows are that device's.
 */
#ifndef OM_SHARE_H
#define OM_SHARE_H

/* H is a 64-bit unsigned variable: OM_OWNER_START, then OM_OWNER_MIX for each word of the row. */
#define OM_OWNER_START 0x9ae16a3b2f90404fu
#define OM_OWNER_MIX(H, WORD)                       \
    do {                                            \
        (H) = ((H) ^ (WORD)) * 0xc2b2ae3d27d4eb4fu; \
        (H) ^= (H) >> 29;                           \
    } while (0)
/* The upper half of H times the number of devices (below 2^32): the bits of the product above
 * 2^32. */
#define OM_OWNER_OF(H, DEVICES) ((((H) >> 32) * (DEVICES)) >> 32)

#endif
