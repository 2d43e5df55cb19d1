/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_make.h: from C text to functions, for native*.c.
 *
 * The text is compiled in a folder for temporary files (base/work.h). What comes of it is used when
 * it is a whole shared object, when it can be opened and gives the initial state's successors in a
 * process of its own (builder.c), which it may end or hold up, and when it agrees with another
 * executor, the vm (audit.h); then it is kept in the cache (base/cache.h) under the text, the
 * compiler and its flags. From the cache it is taken when the file is what was kept, from its first
 * byte to its last, and if it still agrees; anything else is built again.
 */
#ifndef OMEN_CORE_MODEL_NATIVE_MAKE_H
#define OMEN_CORE_MODEL_NATIVE_MAKE_H

#include "form.h"

/* A compiler, and what tells it from another that has its name. */
typedef struct om_cc {
    char path[4096];
    char identity[4200]; /* path, size and time of change */
    /* What its command line has that matters for what comes out; ends with NULL. */
    const char *const *flags;
} om_cc;

/* $OMEN_CC, else cc, found in $PATH. OM_OK, or OM_EUNSUPPORTED with the reason in `why`. */
int om_cc__find(om_cc *c, char *why, size_t why_size);
/* The same for one of that name or path. */
int om_cc__named(om_cc *c, const char *name, char *why, size_t why_size);

/* Compiles `source` into `object`, with temporary files in `folder`, and tries it out. OM_OK,
 * OM_EUNSUPPORTED (with the reason) or OM_ENOMEM; OM_ELIMIT or OM_ESTOP when the context is
 * stopped. */
int om_cc__run(om_context *ctx, const om_cc *c, const char *folder, const char *source,
    const char *object, char *why, size_t why_size);

/* Appends to the text what else the object depends on; all of it is the key of the cache. */
void om_native__key(om_text *text, const om_cc *c);

/* Opens what is kept under a key: a dlopen() handle. OM_OK; OM_ESTOP: there is nothing; OM_ENOMEM.
 */
int om_native__kept(om_context *ctx, const om_text *key, void **handle);
void om_native__drop(om_context *ctx, const om_text *key);

/* What a compiler made, open; its bytes are om_free()'s. */
typedef struct om_native_object {
    void *handle;
    unsigned char *bytes;
    size_t size;
} om_native_object;

/* Compiles the first `length` bytes of a text and opens what came of it. As om_cc__run(). */
int om_native__make(om_context *ctx, const om_cc *c, const char *text, size_t length,
    om_native_object *out, char *why, size_t why_size);
void om_native__keep(om_context *ctx, const om_text *key, const om_native_object *object);

#endif
