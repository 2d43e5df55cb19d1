/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_set.h: states on the path of one worker's depth-first search, as a hash set of ids. Its size
 * depends only on the longest path, whereas an array by id needs memory for every state and every
 * worker. Not thread-safe.
 */
#ifndef OMEN_CHECK_PATH_SET_H
#define OMEN_CHECK_PATH_SET_H

#include <omen/plugin/product.h>

typedef struct path_set {
    om_id *entries;         /* id plus one; 0: empty */
    size_t capacity, count; /* capacity: a power of two, or 0 */
} path_set;

/* Adds an id that is not in the set. Returns false, with the set unchanged, if memory runs out. */
bool path_set_add(path_set *s, const om_heap *heap, om_id id);
/* Removes an id, if it is in the set. */
void path_set_remove(path_set *s, om_id id);
bool path_set_has(const path_set *s, om_id id);
void path_set_free(path_set *s, const om_heap *heap);

#endif
