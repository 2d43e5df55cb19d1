/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_lock.h: exclusive rights among the processes that use one cache, for work that outlives the
 * process that began it.
 *
 * A right is a number, and its owner holds a lock on the byte at that offset of work/.locks in the
 * cache. Such locks (open file description locks) are shared with child processes that are forked,
 * and end with the last process that holds the descriptor, however it ends: no lock is ever stale,
 * and there is nothing to clean up. On a file system without them, no right can be had.
 */
#ifndef OM_BASE_CACHE_LOCK_H
#define OM_BASE_CACHE_LOCK_H

#include <omen/plugin/base.h>

typedef struct om_cache_lock {
    int fd; /* -1: not open */
} om_cache_lock;

/* Opens the locks of the cache. OM_OK; OM_ENOMEM; OM_EIO: there is no cache. */
int om_cache_lock__open(om_cache_lock *l, const om_heap *heap);
/* Also releases the rights, unless a process that was forked has the descriptor, too. */
void om_cache_lock__close(om_cache_lock *l);

/* Takes the right; returns false if another process has it, or might have it. */
bool om_cache_lock__take(const om_cache_lock *l, uint64_t right);
/* Takes one of the rights below `count`. */
bool om_cache_lock__take_any(const om_cache_lock *l, unsigned count);
/* Says that this process waits for what the owner of the right is doing, until the locks are
 * closed; several processes may. */
void om_cache_lock__want(const om_cache_lock *l, uint64_t right);
/* Returns true if another process has said so. */
bool om_cache_lock__is_wanted(const om_cache_lock *l, uint64_t right);
/* Returns true if another process has the right now. */
bool om_cache_lock__is_taken(const om_cache_lock *l, uint64_t right);

/* Returns the right to work on a text; it is none of om_cache_lock__take_any(). */
uint64_t om_cache_lock__right_of(const char *text, size_t length);

#endif
