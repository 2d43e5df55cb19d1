/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h: vectors as trees of pairs, equal subtrees stored once: the shape of the trees.
 *
 * Laarman, van de Pol, Weber: "Parallel Recursive State Compression for Free" (SPIN 2011), sections
 * 3 and 4: a vector becomes a pair of references to its halves, these to theirs, down to pairs of
 * words; a successor's tree is its predecessor's but for the paths from changed words to the root.
 *
 * A root has two or three places (its arity): a root of three takes four bytes more, but there are
 * fewer nodes, and short vectors need hardly any. There are words - arity inner nodes (all but the
 * root), numbered children first; a row is the vector, then a reference for each of them, then a
 * word that is 1 where these references are valid. Which words come together is decided by a sample
 * of vectors: words that take few values together are joined first, so that what is stored often is
 * near the root and what is shared lies below.
 *
 *   words 4     0   2   1   3       inner nodes (0, 2), (1, 3), and the root of two (4, 5)
 *   nodes        \0/     \1/
 *                  \ root /         row: 4 words, references of nodes 0 and 1, valid or not
 */
#ifndef OM_STORE_TREE_H
#define OM_STORE_TREE_H

#include <omen/plugin/base.h>

enum { OM_TREE_MASK = 64 }; /* inner nodes that fit the bits of a word */
enum { OM_ROOT_MOST = 3 };

/* Places in a row. */
typedef struct om_tree_node {
    uint32_t left, right;
} om_tree_node;

typedef struct om_tree {
    uint32_t words, arity, nodes; /* inner nodes: words - arity */
    uint32_t places;              /* of a row, without its last word: for an arity of 2 */
    uint32_t root[OM_ROOT_MOST];  /* its places */
    om_tree_node *node;           /* of each inner node */
    uint64_t *path;  /* of each word: the inner nodes above it; OM_TREE_MASK nodes at most */
    uint64_t *level; /* the inner nodes that refer to nodes of lower levels alone; likewise */
    uint32_t levels;
} om_tree;

/* More than 3 words; a shape with roots of 2 that suits words in a row. OM_OK or OM_ENOMEM. */
int om_tree__init(om_tree *t, const om_heap *heap, uint32_t words);
/* Fine on zeroed memory. */
void om_tree__free(om_tree *t, const om_heap *heap);
/* Vectors that are enough for a sample; more would take longer than it is worth. */
size_t om_tree__sample_size(const om_tree *t);
/* The shape that suits a sample of `count` vectors, with roots of `arity`, 0: of 2 or 3. OM_OK, or
 * OM_ENOMEM and nothing has changed. */
int om_tree__fit(
    om_tree *t, const om_heap *heap, const uint32_t *vectors, size_t count, uint32_t arity);

#endif
