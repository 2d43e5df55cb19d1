/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h: compiled code and other results that are kept across runs.
 *
 * Location: $XDG_CACHE_HOME/omen, otherwise $HOME/.cache/omen, otherwise (no home) /tmp/omen-UID.
 * With OMEN_CACHE=off there is none. It has a folder for each kind of content, and work/ for
 * temporary files (work_folder.h) and locks (cache_lock.h). If anyone except root and the user may
 * write there (trust.h), nothing is read or stored, and a notice says why, once per session.
 *
 * A file consists of the body, at its beginning (so that a shared object can be opened in place),
 * the key, and a trailer: a magic number, the lengths of both, and the XXH3-128 of everything
 * before it. Numbers have the byte order of the machine. The file name is a hash of the key; the
 * key itself is compared, so colliding keys only replace each other. A file is written in work/ and
 * renamed, so it is complete or absent. It is verified from its first to its last byte before it is
 * used.
 *
 * All kinds together take at most $OMEN_CACHE_SIZE (100M, 2G; 1 GB if it is not set): when a file
 * is added, the least recently used ones are removed.
 *
 * All functions are safe in any thread and any process at any time.
 */
#ifndef OM_BASE_CACHE_H
#define OM_BASE_CACHE_H

#include "work_folder.h"

/* An open folder of one kind of content. */
typedef struct om_cache {
    om_context *ctx; /* for notices; NULL: none, and nothing can be loaded */
    const om_heap *heap;
    char *place, *path; /* of the cache, and of the kind's folder */
    int folder;         /* descriptor of the kind's folder; -1: not open */
} om_cache;

/* The kinds. The last one is small and not counted. */
extern const char om_cache__native[], om_cache__opencl[], om_cache__plugins[];
/* The folder for temporary files */
extern const char om_cache__work_name[];

/* Appends the path of the cache; returns false if there is none. The path is neither created nor
 * inspected. */
bool om_cache__place(om_text *out);

/* Opens the folder of a kind, which is created if necessary, and sweeps work/. OM_OK; OM_ENOMEM;
 * OM_EIO with no message recorded and *c closed: continue without a cache. */
int om_cache__open(om_cache *c, om_context *ctx, const char *kind);
/* The same without a notice and without a sweep: for content that is read whenever omen starts. */
int om_cache__inspect(om_cache *c, om_context *ctx, const char *kind);
/* The same without a context, for programs without one; `why`, of OM_TRUST_WHY_SIZE bytes, then has
 * the reason (empty: the user wants no cache). After a failure, too, the caller closes the cache.
 */
int om_cache__open_folder(om_cache *c, const om_heap *heap, const char *kind, char *why);
void om_cache__close(om_cache *c);

/* The file name of a key */
enum { OM_CACHE_NAME_SIZE = 40 };
void om_cache__name(const om_text *key, char name[OM_CACHE_NAME_SIZE]);

/* Returns the path that the file of a key has or would have; the caller frees it. NULL: out of
 * memory. */
char *om_cache__file(const om_cache *c, const om_text *key);

/* Returns the body stored for a key, which the caller frees; false if there is no valid one. */
bool om_cache__load(const om_cache *c, const om_text *key, unsigned char **body, size_t *length);

/* Returns true if these bytes are exactly a valid file for the key; *length: of its body. */
bool om_cache__is_genuine(
    const om_text *key, const unsigned char *file, size_t size, size_t *length);

/* Stores a body, if possible; failures are silent. */
void om_cache__store(const om_cache *c, const om_text *key, const void *body, size_t length);

/* Removes the file of a key, which turned out to be unusable. */
void om_cache__drop(const om_cache *c, const om_text *key);

/* Each opens the cache of this kind, calls the function above, and closes it. If the cache cannot
 * be opened, the first returns false and the others do nothing. */
bool om_cache__load_from(
    om_context *ctx, const char *kind, const om_text *key, unsigned char **body, size_t *length);
void om_cache__store_in(
    om_context *ctx, const char *kind, const om_text *key, const void *body, size_t length);
void om_cache__drop_from(om_context *ctx, const char *kind, const om_text *key);

/* Makes a folder for temporary files (om_work_folder__begin()) on a disk with that number of free
 * bytes: in work/, otherwise in $TMPDIR, /tmp or /dev/shm. OM_OK; OM_ENOMEM; OM_EIO with the reason
 * in `why` (of OM_TRUST_WHY_SIZE bytes): there is none. */
int om_cache__work(const om_heap *heap, uint64_t bytes, om_work_folder *w, char *why);

/* In cache_trim.c: removes the files above the limit; returns the bytes that a value of
 * $OMEN_CACHE_SIZE means (NULL, or no size: 1 GB). */
void om_cache__trim(const om_cache *c);
uint64_t om_cache__limit(const char *text);

#endif
