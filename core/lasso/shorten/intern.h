/* SPDX-License-Identifier: Apache-2.0 */
/* intern.h: numbers for rows of 64-bit words, and a map from 64-bit keys to numbers. Both are
 * initialised by zeroing; the free functions accept them empty or not. One thread at a time. */
#ifndef OMEN_LASSO_INTERN_H
#define OMEN_LASSO_INTERN_H

#include <omen/plugin/base.h>

/* Rows of any length, each stored once, numbered from 0 on. */
typedef struct om_rows {
    uint64_t *words;
    size_t word_count, word_room;
    size_t *ends; /* by row */
    size_t end_room;
    uint32_t count;
    uint32_t *slots; /* number + 1 by hash, open addressing; load factor at most 1/2 */
    size_t slot_count;
} om_rows;

void om_rows__free(om_rows *r, const om_heap *heap);
/* Returns in *number the number of a row, and stores the row if it is new. `row` must not point
 * into `r`. OM_OK or OM_ENOMEM. */
int om_rows__add(om_rows *r, const om_heap *heap, const uint64_t *row, size_t n, uint32_t *number);
/* Returns a row of *n words, valid until the next row is added. */
const uint64_t *om_rows__get(const om_rows *r, uint32_t number, size_t *n);

/* A map from keys to values. */
typedef struct om_map {
    struct om_map_slot {
        uint64_t key;
        uint32_t value; /* value + 1; 0: empty */
    } * slots;
    size_t *used;             /* indices of used slots, in insertion order */
    size_t count, slot_count; /* load factor at most 1/2 */
} om_map;

void om_map__free(om_map *m, const om_heap *heap);
/* Returns false if the key is missing; *value is unchanged then. */
bool om_map__find(const om_map *m, uint64_t key, uint32_t *value);
/* Adds a key that is not in the map; the value is less than OM_NONE. OM_OK or OM_ENOMEM. */
int om_map__add(om_map *m, const om_heap *heap, uint64_t key, uint32_t value);
/* Removes all keys, in time linear in their number. */
void om_map__clear(om_map *m);

#endif
