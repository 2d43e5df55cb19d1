/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choices.h: remembers which of its enabled transitions a state keeps.
 *
 * A choice reads two things of a state: the list of its enabled transitions, and the answers to
 * questions (tests.h), which it asks one after the other. Which question comes next, and what it
 * keeps at the end, follows from the list and from the answers so far. So the choices for one list
 * form a decision tree, and states with the same list and the same answers share a leaf.
 *
 *  H1  A node has a question, an answer to it, and what follows: the next node if that is the
 *      answer of the state, else another node with the same question. Node 0: not known yet.
 *  H2  A leaf has the numbers of the kept transitions in the list, in ascending order; none: all
 *      are kept.
 *
 * A memory is used by one thread at a time. It forgets everything when it is full, and for good if
 * it is full again before it has saved work.
 */
#ifndef OM_MODEL_CHOICES_H
#define OM_MODEL_CHOICES_H

#include "tests.h"

/* An answer to a question */
typedef struct om_answer {
    uint32_t question, answer;
} om_answer;

typedef struct om_leaf {
    const uint32_t *kept; /* H2 */
    size_t count;
} om_leaf;

typedef struct om_choice_node {
    uint32_t question, answer; /* OM_NONE: a leaf, and the number of transitions that it keeps */
    uint32_t next, other;      /* of a leaf, `next`: the first entry of `kept` */
} om_choice_node;

typedef struct om_choice_list {
    uint32_t first, count; /* the transitions: entries of `lists` */
    uint32_t root;         /* node */
} om_choice_list;

typedef struct om_choices {
    const om_heap *heap;
    om_choice_list *table; /* a hash table with open addressing; count 0: free */
    om_choice_node *nodes;
    uint32_t *lists, *kept;
    size_t list_count, list_room, node_count, node_room, kept_count, kept_room, table_size, used;
    uint64_t found, added; /* leaves, since everything was forgotten */
    bool off;              /* it remembers nothing any more */
} om_choices;

/* Initialises an empty memory. */
void om_choices__init(om_choices *c, const om_heap *heap);
void om_choices__close(om_choices *c);
/* Sets *leaf to the choice of a state with these enabled transitions, valid until the next call.
 * Returns false if it is not known. */
bool om_choices__find(om_choices *c, const om_tests *tests, const uint32_t *enabled, size_t count,
    const uint32_t *vector, om_leaf *leaf);
/* Remembers a choice, with the questions that were asked. Forgets it if memory runs out. */
void om_choices__add(om_choices *c, const uint32_t *enabled, size_t count, const om_answer *asked,
    size_t asked_count, const om_leaf *leaf);

#endif
