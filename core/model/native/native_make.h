/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native_make.h: from C text to functions, for native*.c.
 *
 * The text is compiled in a folder for temporary files (base/files/work_folder.h). The result is
 * used only if it is a complete shared object; if it can be opened and computes the successors of
 * the initial state in a separate process (builder.c), which it may terminate or block; and if it
 * agrees with another executor, the vm (audit.h). Then it is stored in the cache
 * (base/files/cache.h) under the text, the compiler and its flags. A cached object is used if the
 * file is byte for byte what was stored, and if it still agrees; otherwise it is rebuilt. That is
 * why a compiler in the background may store an object that was not compared (builder_keep.c).
 */
#ifndef OMEN_CORE_MODEL_NATIVE_MAKE_H
#define OMEN_CORE_MODEL_NATIVE_MAKE_H

#include "form/form.h"

/* A compiler, and the data that distinguish it from another one with the same name. */
typedef struct om_cc {
    char path[4096];
    char identity[4200]; /* path, size and modification time */
    /* The flags on its command line that affect the output; ends with NULL. */
    const char *const *flags;
} om_cc;

/* Finds the compiler: $OMEN_CC, else cc in $PATH. Returns OM_OK, or OM_EUNSUPPORTED with the reason
 * in `why`. */
int om_cc__find(om_cc *c, char *why, size_t why_size);
/* As om_cc__find(), for a compiler with this name or path. */
int om_cc__named(om_cc *c, const char *name, char *why, size_t why_size);

/* Makes it compile quickly: its flags become those for code that is slower and that is ready
 * sooner. */
void om_cc__hurry(om_cc *c);

/* A compilation whose result another process stores in the cache (builder_keep.c), and that may
 * therefore go on in the background. */
typedef struct om_native_keep {
    const char *suffix; /* what follows the text in the key: om_native__key() */
    const char *old;    /* the same for an object that is obsolete then; "": none */
    int nice;           /* of the compiler */
    bool stored;        /* set if that process does the storing */
    bool left;          /* set if the compiler goes on */
} om_native_keep;

typedef struct om_cc_files {
    const char *folder; /* for temporary files */
    const char *source, *object;
} om_cc_files;

/* Compiles and tests the result. Returns OM_OK, OM_EUNSUPPORTED (with the reason), OM_ENOMEM, or
 * OM_ELIMIT or OM_ESTOP if the context is stopped. The compiler is killed then, unless `keep` is
 * not NULL and the reason for the stop is neither an interrupt nor a lack of memory. */
int om_cc__run(om_context *ctx, const om_cc *c, const om_cc_files *files, om_native_keep *keep,
    char *why, size_t why_size);

/* Appends to the text everything else that the object depends on; the result is the cache key. */
void om_native__key(om_text *text, const om_cc *c);

/* Returns true if objects can be stored in the cache. */
bool om_native__has_cache(om_context *ctx);

/* Opens the object cached under a key and sets *handle to its dlopen() handle. Returns OM_OK,
 * OM_ESTOP if there is none, or OM_ENOMEM. */
int om_native__kept(om_context *ctx, const om_text *key, void **handle);

/* An opened object. The caller frees its bytes with om_free(). */
typedef struct om_native_object {
    void *handle;
    unsigned char *bytes;
    size_t size;
} om_native_object;

/* Compiles the first `length` bytes of a text and opens the result. `keep` may be NULL. Returns as
 * om_cc__run(). */
int om_native__make(om_context *ctx, const om_cc *c, const char *text, size_t length,
    om_native_keep *keep, om_native_object *out, char *why, size_t why_size);

#endif
