/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h: vectors as trees of pairs, equal subtrees stored once: the shape of the trees.
 *
 * Laarman, van de Pol, Weber: "Parallel Recursive State Compression for Free" (SPIN 2011), sections
 * 3 and 4: a vector becomes a pair of references to its halves, these to theirs, down to pairs of
 * words; a successor's tree is its predecessor's except for the paths from changed words to the
 * root.
 *
 * A root has two or three places (its arity). A root of three takes four bytes more, but there are
 * fewer nodes, and short vectors need hardly any. There are words - arity inner nodes (all but the
 * root), numbered children first. A row is the vector, then a reference for each inner node, then a
 * word that is 1 if these references are valid. A sample of vectors decides which words are joined:
 * words that take few values together are joined first, so that the subtrees with many values are
 * near the root and the shared ones lie below.
 *
 *   words 4     0   2   1   3       inner nodes (0, 2), (1, 3), and the root of two (4, 5)
 *   nodes        \0/     \1/
 *                  \ root /         row: 4 words, references of nodes 0 and 1, valid or not
 *
 *  T1  The children of an inner node are words or nodes of lower numbers.
 *  T2  A shape has words - arity inner nodes.
 */
#ifndef OM_STORE_TREE_H
#define OM_STORE_TREE_H

#include <omen/plugin/base.h>

enum { OM_TREE_MASK = 64 }; /* words or inner nodes that fit the bits of an integer */
enum { OM_TREE_FIT = 512 }; /* inner nodes of the largest tree that is fitted */
static const uint32_t OM_TREE_NONE = UINT32_MAX;
enum { OM_ROOT_MOST = 3 };

/* Places in a row. */
typedef struct om_tree_node {
    uint32_t left, right;
} om_tree_node;

typedef struct om_tree {
    uint32_t words, arity, nodes; /* inner nodes: words - arity */
    uint32_t places;              /* places of a row, without its last word, for an arity of 2 */
    uint32_t root[OM_ROOT_MOST];  /* places of the root's children */
    om_tree_node *node;           /* one for each inner node */
    uint64_t *level;  /* of each level: its inner nodes; only for up to OM_TREE_MASK words */
    uint32_t *above;  /* by place: the node above it, or OM_TREE_NONE */
    uint32_t *height; /* of each inner node, above the words: its level */
    uint32_t levels;
} om_tree;

/* Initialises a shape with roots of arity 2 that suits consecutive words. `words` must exceed 3.
 * OM_OK or OM_ENOMEM. */
int om_tree__init(om_tree *t, const om_heap *heap, uint32_t words);
/* Frees a shape. Accepts a zeroed one. */
void om_tree__free(om_tree *t, const om_heap *heap);
/*
 * Returns the number of vectors that suffice for a sample; more would take longer than it is worth.
 */
size_t om_tree__sample_size(const om_tree *t);
/* Chooses the shape that suits a sample of `count` vectors, with roots of `arity` places; 0: of 2
 * or 3. Returns OM_OK, or OM_ENOMEM without any change. */
int om_tree__fit(
    om_tree *t, const om_heap *heap, const uint32_t *vectors, size_t count, uint32_t arity);

#endif
