/* SPDX-License-Identifier: Apache-2.0 */
/* mock.h: devices that enforce limits on memory. */
#ifndef OMEN_TESTS_KERNELS_MOCK_H
#define OMEN_TESTS_KERNELS_MOCK_H

#include "device.h"

typedef struct mock_limits {
    uint64_t memory, largest; /* bytes: of all buffers outside host memory; of one buffer */
    uint64_t others;          /* bytes of it that other programs use: requests fail, or with ... */
    bool late;                /* ... `late`, the shortage shows only when the memory is used */
    bool unified;             /* true if the device has only host memory */
    bool sparse;              /* memory costs only addresses until it is written (host memory) */
} mock_limits;

enum { MOCKS = 2 }; /* maximum number of open mocks */

/* Gives the device these limits, and tables in segments, until mock_close(). The device must be
 * idle. All mocked devices must have the same back end. */
void mock_open(om_device *d, const mock_limits *limits);
void mock_close(om_device *d);

/* Peak bytes in device memory and in host memory; number of requests beyond the device's limits,
 * and of requests that failed because of other programs' memory. */
typedef struct mock_figures {
    uint64_t peak, away;
    unsigned refused, failed;
} mock_figures;
/* Returns the figures since mock_open(); valid after mock_close(), too. */
mock_figures mock_seen(const om_device *d);

/* Hook called before each launch, or NULL. */
extern void (*mock_on_launch)(om_device *d, om_stream *s, const om_launch *l);

#endif
