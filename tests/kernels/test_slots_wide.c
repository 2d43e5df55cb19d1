/* SPDX-License-Identifier: Apache-2.0 */
/* test_slots_host.c with a filter, and with keys of 70 bits, as the host writes the macros. */
#define OM_FILTER 8
#define OM_KEY_BITS 70
#define OM_KEY_LOW(R) (0ul | (om_u64) (R)[0] << 0 | (om_u64) (R)[1] << 32 | (om_u64) (R)[2] << 62)
#define OM_KEY_HIGH(R) (0ul | (om_u64) (R)[2] >> 2)
#include "test_slots_host.c"
