/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path_set.h: states on the path of one worker's depth-first search, as a hash set of ids. It
 * takes room for the longest path alone, where an array by id takes some for every state and every
 * worker. One thread at a time.
 */
#ifndef OMEN_CHECK_PATH_SET_H
#define OMEN_CHECK_PATH_SET_H

#include <omen/plugin/product.h>

typedef struct path_set {
    om_id *entries;         /* plus one; 0 is empty */
    size_t capacity, count; /* capacity: a power of two, or 0 */
} path_set;

/* Takes an id that is not in it. False: no memory, and nothing was taken. */
bool path_set_add(path_set *s, const om_heap *heap, om_id id);
/* Of one that may be in it. */
void path_set_remove(path_set *s, om_id id);
bool path_set_has(const path_set *s, om_id id);
void path_set_free(path_set *s, const om_heap *heap);

#endif
