/* SPDX-License-Identifier: Apache-2.0 */
/* native_abi.h: what a compiled model exports: see the end of its text, in native.c. */
#ifndef OMEN_CORE_MODEL_NATIVE_ABI_H
#define OMEN_CORE_MODEL_NATIVE_ABI_H

#include <stdint.h>

/* om_native_run(): adds the successors by one chunk of the transitions behind n rows, and returns
 * the new n; on a fault fault[0] is set, and fault[1] counts overflows. There must be capacity for
 * om_native_most[chunk] more rows. */
typedef unsigned long om_native_run_fn(const uint32_t *s, uint32_t chunk, uint32_t *rows,
    unsigned long stride, uint32_t *transition, unsigned long n, uint32_t *fault);
/* om_native_labels() */
typedef unsigned long long om_native_labels_fn(const uint32_t *s, uint32_t *fault);

/* om_native_shape[]: words of a state, propositions, transitions and their chunks. Besides them
 * there is om_native_initial[], the initial state. */
enum { OM_NATIVE_WORDS, OM_NATIVE_APS, OM_NATIVE_TRANSITIONS, OM_NATIVE_CHUNKS };

/* What exports om_native_kernels instead of all that is kernels for the host (core/device/host): to
 * open it is all that can be tried. */

/* What builder.c ends with when all went well: not 0, with which anything else may end it. */
enum { OM_NATIVE_GOOD = 86 };

#endif
