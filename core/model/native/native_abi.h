/* SPDX-License-Identifier: Apache-2.0 */
/* native_abi.h: the symbols that a compiled model exports; see the end of its text in native.c. */
#ifndef OMEN_CORE_MODEL_NATIVE_ABI_H
#define OMEN_CORE_MODEL_NATIVE_ABI_H

#include <stdint.h>

/* om_native_run(): appends the successors by one chunk of the transitions after n rows and returns
 * the new n. On a fault, fault[0] is set; fault[1] counts overflows. There must be room for
 * om_native_most[chunk] more rows. */
typedef unsigned long om_native_run_fn(const uint32_t *s, uint32_t chunk, uint32_t *rows,
    unsigned long stride, uint32_t *transition, unsigned long n, uint32_t *fault);
/* om_native_labels() */
typedef unsigned long long om_native_labels_fn(const uint32_t *s, uint32_t *fault);

/* om_native_shape[]: the numbers of words of a state, propositions, transitions, and chunks of
 * transitions. In addition, om_native_initial[] is exported: the initial state. */
enum { OM_NATIVE_WORDS, OM_NATIVE_APS, OM_NATIVE_TRANSITIONS, OM_NATIVE_CHUNKS };

/* A library that exports om_native_kernels instead of these symbols contains kernels for the host
 * (core/device/host). It can only be tested by opening it. */

/* Exit status of builder.c on success. Not 0, because any code that the library runs may exit with
 * 0. */
enum { OM_NATIVE_GOOD = 86 };

/* Exit status of builder_keep.c if the compiler goes on without the library's process. */
enum { OM_NATIVE_LEFT = 87 };
/* The byte on its standard input that asks for that. */
#define OM_NATIVE_GO_ON 'g'

#endif
