/* SPDX-License-Identifier: Apache-2.0 */
/* host.h: environment for kernels compiled for the host. Work-items run one after another. A
 * program includes this file once, before the kernels. */
#ifndef OM_TESTS_KERNELS_HOST_H
#define OM_TESTS_KERNELS_HOST_H

#include <omen/host/omen.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint32_t host_id, host_ids; /* the current work-item; these programs have one thread */

static inline uint32_t om_host_id(void)
{
    return host_id;
}

static inline uint32_t om_host_ids(void)
{
    return host_ids;
}

#define OM_KERNEL_ON_HOST
#define OM_BATCH 4

/* Runs a call for each work-item; a launch has fewer work-items than items. */
#define EACH(ITEMS, CALL)                            \
    host_ids = ((ITEMS) + 63u) / 64u * 8u;           \
    for (host_id = 0; host_id < host_ids; host_id++) \
        CALL;

/* Rows of three words. The first and third word identify the state; the second follows from
 * them. */
enum { ROWS = 4000, VALUES = 700, RECORDS = 3 };
#define OM_ROW 3

static inline uint32_t value_of(const uint32_t *row)
{
    return row[0] * 10 + row[2];
}

#endif
