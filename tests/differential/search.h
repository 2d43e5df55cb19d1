/* SPDX-License-Identifier: Apache-2.0 */
/* search.h: emptiness of an explicit product, by Tarjan's search, for any acceptance. */
#ifndef OMEN_DIFFERENTIAL_SEARCH_H
#define OMEN_DIFFERENTIAL_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SETS: sets of generated conditions; MOST_SETS: maximum number of sets that a search supports. */
enum { SETS = 6, MOST_SETS = 31, CONDITION = 128 };

/* Acceptance in postfix: 't', 'f', 'I' and 'F' with a set, '&', '|'. */
typedef struct condition {
    unsigned sets;
    size_t length;
    struct {
        char op;
        unsigned set;
    } at[CONDITION];
} condition;

/* Returns the conjunction of two conditions. The sets of the second are shifted by `shift`. */
condition condition_both(const condition *a, const condition *b, unsigned shift);
/* Returns true if a cycle with exactly these marks satisfies the condition. */
bool condition_holds(const condition *c, unsigned marks);

typedef struct arc {
    uint32_t from, to;
    unsigned marks;
} arc;

/* Vertices are numbered 0 .. n-1. */
typedef struct digraph {
    uint32_t n;
    arc *arcs;
    size_t count, room;
    uint32_t *initial;
    size_t initial_count, initial_room;
} digraph;

void digraph_add(digraph *g, uint32_t from, uint32_t to, unsigned marks);
void digraph_start(digraph *g, uint32_t vertex);
void digraph_free(digraph *g);
/* Returns true if a cycle reachable from an initial vertex has marks that satisfy the condition.
 * Sorts the arcs by source. */
bool digraph_accepts(digraph *g, const condition *c);

#endif
