/* SPDX-License-Identifier: Apache-2.0 */
/* intern.h: words of 64 bits under small numbers: rows of them, and a map from one to a number.
 * Both are made by zeroing and freed when they hold something or nothing. One thread at a time. */
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
    uint32_t *slots; /* number + 1 by hash, open addressing; at most half full */
    size_t slot_count;
} om_rows;

void om_rows__free(om_rows *r, const om_heap *heap);
/* The number of a row, which is stored if it is new. `row` is not in here. OM_OK or OM_ENOMEM. */
int om_rows__add(om_rows *r, const om_heap *heap, const uint64_t *row, size_t n, uint32_t *number);
/* *n words, until the next row is added. */
const uint64_t *om_rows__get(const om_rows *r, uint32_t number, size_t *n);

/* From keys to values. */
typedef struct om_map {
    struct om_map_slot {
        uint64_t key;
        uint32_t value; /* + 1; 0: empty */
    } * slots;
    size_t *used;             /* the slots that are not empty, as they were filled */
    size_t count, slot_count; /* at most half full */
} om_map;

void om_map__free(om_map *m, const om_heap *heap);
/* False: it is not there, and *value stays as it is. */
bool om_map__find(const om_map *m, uint64_t key, uint32_t *value);
/* A key that is not there; the value is less than OM_NONE. OM_OK or OM_ENOMEM. */
int om_map__add(om_map *m, const om_heap *heap, uint64_t key, uint32_t value);
/* Takes out all keys, in time that was taken to add them. */
void om_map__clear(om_map *m);

#endif
