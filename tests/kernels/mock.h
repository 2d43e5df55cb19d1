/* SPDX-License-Identifier: Apache-2.0 */
/* mock.h: devices with limits of their own on memory, which they enforce. */
#ifndef OMEN_TESTS_KERNELS_MOCK_H
#define OMEN_TESTS_KERNELS_MOCK_H

#include "device.h"

typedef struct mock_limits {
    uint64_t memory, largest; /* bytes: of all buffers that are not in the host's memory; of one */
    uint64_t others; /* of that memory, bytes that others have: requests fail, or with ... */
    bool late;       /* ... this, memory that is not there is found out when it is used */
    bool unified;    /* there is no other memory */
    bool sparse;     /* memory costs addresses alone until it is written to: of the host's */
} mock_limits;

enum { MOCKS = 2 }; /* at once */

/* The device, which nobody uses, has these limits, and tables in segments, until mock_close(). All
 * that have some are of one back end. */
void mock_open(om_device *d, const mock_limits *limits);
void mock_close(om_device *d);

/* Bytes that were on the device at most, and those in the host's memory; how many requests were
 * beyond what the device says, and how many failed for what others have. */
typedef struct mock_figures {
    uint64_t peak, away;
    unsigned refused, failed;
} mock_figures;
/* Since mock_open(), and after mock_close() too. */
mock_figures mock_seen(const om_device *d);

/* Called before each launch, unless NULL. */
extern void (*mock_on_launch)(om_device *d, om_stream *s, const om_launch *l);

#endif
