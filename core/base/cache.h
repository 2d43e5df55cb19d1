/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h: what was compiled, kept from run to run.
 *
 * Where: $XDG_CACHE_HOME/omen, else $HOME/.cache/omen, else (no home) /tmp/omen-UID; there a folder
 * for each kind of content, and work/ for what is under way (work.h). Only root and the user may be
 * able to put anything there (trust.h); else nothing is taken from there or kept, and a notice says
 * why, once a session.
 *
 * A file holds the body, from its beginning (so a shared object can be opened as it lies there),
 * the key, and a trailer: magic, the lengths of both, XXH3-128 of all before it. Numbers are as the
 * machine has them. Its name is a hash of the key; the key itself is compared, so two that collide
 * only push each other out. A file is written in work/ and renamed: there is all of it or nothing.
 * It is verified from its first byte to its last before anything is done with it.
 *
 * The kinds together take at most $OMEN_CACHE_SIZE (100M, 2G; 1 GB where it is not set): what was
 * not used for the longest time goes when something is added.
 *
 * Any thread and any process may do anything at any time.
 */
#ifndef OM_BASE_CACHE_H
#define OM_BASE_CACHE_H

#include "work.h"

/* A kind of content, open. */
typedef struct om_cache {
    om_context *ctx;
    const om_heap *heap;
    char *place, *path; /* of all, and of the kind's folder */
    int folder;         /* the latter; -1: not open */
} om_cache;

/* The kinds. What is in the last one is small, and is not counted. */
extern const char om_cache__native[], om_cache__opencl[], om_cache__plugins[];

/* Appends the path of the place itself; false where there is none. It is neither made nor looked
 * at. */
bool om_cache__place(om_text *out);

/* Opens the folder of a kind, made if need be, and sweeps work/. OM_OK; OM_ENOMEM; OM_EIO with no
 * message recorded and *c closed: do without. */
int om_cache__open(om_cache *c, om_context *ctx, const char *kind);
/* The same without a word, and work/ is left alone: for what is looked at whenever omen starts. */
int om_cache__inspect(om_cache *c, om_context *ctx, const char *kind);
void om_cache__close(om_cache *c);

/* The path that the file of a key has or would have, the caller's to free. NULL: out of memory. */
char *om_cache__file(const om_cache *c, const om_text *key);

/* The body kept for a key, the caller's to free; false when there is none that is whole. */
bool om_cache__load(const om_cache *c, const om_text *key, unsigned char **body, size_t *length);

/* Keeps it, where that can be done; nothing is said where it cannot. */
void om_cache__store(const om_cache *c, const om_text *key, const void *body, size_t length);

/* Removes what is kept for a key: it turned out to be of no use. */
void om_cache__drop(const om_cache *c, const om_text *key);

/* A folder for temporary files (om_work__begin()) on a disk with so many free bytes: in work/,
 * or where that cannot be had in $TMPDIR, /tmp or /dev/shm. OM_OK; OM_ENOMEM; OM_EIO with the
 * reason in `why` (of OM_TRUST_WHY_SIZE bytes): there is none. */
int om_cache__work(const om_heap *heap, uint64_t bytes, om_work *w, char *why);

/* Of cache_trim.c. Removes what is too much; the bytes that $OMEN_CACHE_SIZE means (NULL, or no
 * size: 1 GB). */
void om_cache__trim(const om_cache *c);
uint64_t om_cache__limit(const char *text);

#endif
