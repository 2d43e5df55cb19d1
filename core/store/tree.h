/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h: vectors as balanced trees of pairs, equal subtrees stored once.
 *
 * Laarman, van de Pol, Weber: "Parallel Recursive State Compression for Free" (SPIN 2011), sections
 * 3 and 4: a vector becomes a pair of references to its halves, these to quarters, down to pairs of
 * words; a successor's tree is its predecessor's but for the path from a changed word to the root.
 *
 * The leaves are pairs of words, the last word alone where their number is odd. Inner nodes (all but
 * the root) are numbered children first; a row is the vector and then a reference for each of them.
 *
 *   words 7     0 1   2 3   4 5   6
 *   nodes        \0/   \1/   \2/  |
 *                  \3 /        \4 /
 *                      \ root /        row: 7 words, references of nodes 0 .. 4
 */
#ifndef OM_STORE_TREE_H
#define OM_STORE_TREE_H

#include <omen/base.h>

enum { OM_TREE_MASK = 64 }; /* inner nodes that fit the bits of a word */

/* Places in a row. */
typedef struct om_twig {
    uint32_t left, right;
} om_twig;

typedef struct om_tree {
    uint32_t words, nodes; /* inner nodes: words - 2 */
    om_twig *twig;         /* of each inner node, then of the root */
    uint64_t *path;        /* of each pair of words: the inner nodes above it, if the bits do */
} om_tree;

/* At least 3 words. OM_OK or OM_ENOMEM. */
int om_tree_init(om_tree *t, const om_heap *heap, uint32_t words);
/* Fine on zeroed memory. */
void om_tree_free(om_tree *t, const om_heap *heap);

/* The inner nodes, as bits, that differ in two vectors; OM_TREE_MASK inner nodes at most. */
uint64_t om_tree_changed(const om_tree *t, const uint32_t *a, const uint32_t *b);

#endif
