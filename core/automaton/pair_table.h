/* SPDX-License-Identifier: Apache-2.0 */
/* pair_table.h: pairs of 32-bit numbers, numbered in the order in which they are added.
 *
 *  P1  The index has the number of each pair and is at most 3/4 full, so a probe ends.
 */
#ifndef OM_AUTOMATON_PAIR_TABLE_H
#define OM_AUTOMATON_PAIR_TABLE_H

#include <omen/plugin/base.h>

typedef struct om_pair_table_entry {
    uint32_t first, second;
    uint32_t note; /* for the owner's use; 0 at first */
} om_pair_table_entry;

/* Zero-initialise with heap set. at[] may move when a pair is added. */
typedef struct om_pair_table {
    const om_heap *heap;
    om_pair_table_entry *at;
    size_t capacity;
    uint32_t count;
    uint32_t *index; /* open addressing: number of a pair + 1; 0: free */
    size_t index_size;
} om_pair_table;

/* Returns the number of a pair; OM_NONE if it has none. */
uint32_t om_pair_table__find(const om_pair_table *p, uint32_t first, uint32_t second);
/* Finds the number of a pair, or assigns the next number to it and sets *fresh. Returns OM_OK;
 * OM_ENOMEM; or OM_ELIMIT if all numbers below OM_NONE - 1 are taken. No message. */
int om_pair_table__number(
    om_pair_table *p, uint32_t first, uint32_t second, uint32_t *number, bool *fresh);
void om_pair_table__free(om_pair_table *p);

#endif
