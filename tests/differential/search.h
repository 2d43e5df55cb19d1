/* SPDX-License-Identifier: Apache-2.0 */
/* search.h: emptiness of a product written out, by Tarjan's search, for any acceptance. */
#ifndef OMEN_DIFFERENTIAL_SEARCH_H
#define OMEN_DIFFERENTIAL_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SETS: of the generators' conditions. A search takes up to MOST_SETS. */
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

/* The conjunction of two, of which the second has the sets from `shift` on. */
condition condition_both(const condition *a, const condition *b, unsigned shift);
/* Does a cycle with exactly these marks satisfy it? */
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
/* Is there a cycle that an initial vertex reaches and whose marks satisfy the condition? Sorts the
 * arcs by source. */
bool digraph_accepts(digraph *g, const condition *c);

#endif
