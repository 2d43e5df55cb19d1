/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native.h: from C text to functions.
 *
 * The text is compiled in a folder of its own, made with mkdtemp(), and the library is opened there
 * or, where there is a cache folder, moved into it first. A file in the cache is
 *
 *     the shared object | the text | a trailer: magic, their sizes, XXH3-128 of both and the key
 *
 * under the name of the key, XXH3-128 of text, compiler, flags and format. A file is used when its
 * trailer is right (so nothing broken is ever opened) and its text is this text, byte for byte (so
 * that the hash need not be one that cannot be forged: the folder belongs to the user). Anything
 * else is built again, without a word.
 */
#ifndef OMEN_CORE_MODEL_NATIVE_H
#define OMEN_CORE_MODEL_NATIVE_H

#include "form.h"

enum { OM_NATIVE_FORMAT = 2 };

/* A compiler, and what tells it from another that has its name. */
typedef struct om_compiler {
    char path[4096];
    char identity[4200]; /* path, size and time of change */
} om_compiler;

/* $OMEN_CC, else cc, found in $PATH. OM_OK, or OM_EUNSUPPORTED with the reason in `why`. */
int om_compiler__find(om_compiler *c, char *why, size_t why_size);

/* The command-line flags that matter for what comes out. */
extern const char *const om_compiler__flags[];

/* Compiles `source` into `object`, with temporary files in `folder`. OM_OK, OM_EUNSUPPORTED (with
 * the reason) or OM_ENOMEM; OM_ELIMIT or OM_ESTOP when the control (may be NULL) stops. */
int om_compiler__run(const om_heap *heap, const om_control *control, const om_compiler *c,
    const char *folder, const char *source, const char *object, char *why, size_t why_size);

/* Does an executor agree with the vm on a few walks? (audit.c) OM_OK or OM_ENOMEM. */
int om_native__audit(
    const om_executor *x, om_model *m, const om_expr *aps, uint32_t ap_count, bool *agrees);

/* A dlopen() handle of the text, from the cache or built. OM_OK, OM_EUNSUPPORTED (with the reason)
 * or OM_ENOMEM; OM_ELIMIT or OM_ESTOP when the order's control stops, or says so. */
int om_native__load(const om_native_order *order, const char *text, size_t length, void **handle,
    char *why, size_t why_size);

#endif
