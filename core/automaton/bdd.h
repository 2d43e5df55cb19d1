/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bdd.h: reduced ordered binary decision diagrams over at most 64 variables, just enough to turn
 * label expressions of any shape into few cubes. Recursion is as deep as there are variables.
 */
#ifndef OM_AUTOMATON_BDD_H
#define OM_AUTOMATON_BDD_H

#include "tela.h"

enum { OM_BDD_FALSE = 0, OM_BDD_TRUE = 1 };

typedef struct om_bdd_node {
    uint32_t var, low, high;
} om_bdd_node;
typedef struct om_bdd_entry {
    uint32_t f, g, h, result;
} om_bdd_entry;

typedef struct om_bdd {
    const om_heap *heap;
    om_bdd_node *nodes;
    size_t count, room;
    uint32_t *index; /* open addressing over nodes; 0: free (the leaves are not in it) */
    size_t index_size;
    om_bdd_entry *cache; /* of if-then-else; as large as index, lossy; f == 0: free */
    om_cube *cubes;      /* of the last om_bdd_cubes() */
    size_t cube_count, cube_room;
    int failure; /* OM_OK, OM_ENOMEM, or OM_ELIMIT (too many nodes or cubes); sticky */
} om_bdd;

/* Zero-initialise with heap set. Once it has failed, results are OM_BDD_FALSE. */
void om_bdd_free(om_bdd *b);
uint32_t om_bdd_var(om_bdd *b, uint32_t var);
uint32_t om_bdd_ite(om_bdd *b, uint32_t f, uint32_t g, uint32_t h);
/* Forgets every node made since there were `count` (0: all). */
void om_bdd_forget(om_bdd *b, size_t count);
/* An irredundant sum of cubes for f, in b->cubes. */
void om_bdd_cubes(om_bdd *b, uint32_t f);

#endif
