/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <string.h>

/* Gives numbers to the nodes over `count` leaves; returns the place of the topmost one in a row. */
static uint32_t plant(om_tree *t, uint32_t first_leaf, uint32_t count)
{
    om_twig twig;
    uint32_t word = 2 * first_leaf, left = count / 2 + count % 2;

    if (count == 1 && word + 1 == t->words)
        return word; /* the last word of an odd number */
    if (count == 1) {
        twig = (om_twig){ word, word + 1 };
    } else {
        twig.left = plant(t, first_leaf, left);
        twig.right = plant(t, first_leaf + left, count - left);
    }
    t->twig[t->nodes] = twig;
    return t->words + t->nodes++;
}

/* The paths, from the top: a node's path is its own bit and that of what is above it. */
static void mark_paths(om_tree *t)
{
    uint64_t above[OM_TREE_MASK] = { 0 };
    for (uint32_t i = t->nodes; i-- > 0;) {
        uint64_t path = above[i] | UINT64_C(1) << i;
        const uint32_t child[] = { t->twig[i].left, t->twig[i].right };
        for (unsigned k = 0; k < 2; k++) {
            if (child[k] >= t->words)
                above[child[k] - t->words] = path;
            else
                t->path[child[k] / 2] = path;
        }
    }
}

int om_tree_init(om_tree *t, const om_heap *heap, uint32_t words)
{
    uint32_t leaves = words / 2 + words % 2;
    *t = (om_tree){ .words = words };
    t->twig = om_alloc(heap, words, sizeof *t->twig);
    t->path = om_alloc(heap, leaves, sizeof *t->path);
    if (t->twig == NULL || t->path == NULL) {
        om_tree_free(t, heap);
        return OM_ENOMEM;
    }
    (void) plant(t, 0, leaves);
    t->nodes--; /* the root is the last */
    if (t->nodes <= OM_TREE_MASK)
        mark_paths(t);
    return OM_OK;
}

void om_tree_free(om_tree *t, const om_heap *heap)
{
    om_free(heap, t->twig);
    om_free(heap, t->path);
    *t = (om_tree){ .words = 0 };
}

uint64_t om_tree_changed(const om_tree *t, const uint32_t *a, const uint32_t *b)
{
    uint64_t changed = 0, x, y;
    for (uint32_t i = 0; i < t->words / 2; i++) {
        memcpy(&x, a + (size_t) 2 * i, sizeof x);
        memcpy(&y, b + (size_t) 2 * i, sizeof y);
        changed |= x == y ? 0 : t->path[i];
    }
    if (t->words % 2 != 0 && a[t->words - 1] != b[t->words - 1])
        changed |= t->path[t->words / 2];
    return changed;
}
