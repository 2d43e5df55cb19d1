/* SPDX-License-Identifier: Apache-2.0 */
/* test_sizes_host.c with tables and indices in four buffers. */
#define OM_SEGMENTS 4
#include "test_sizes_host.c"
