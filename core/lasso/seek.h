/* SPDX-License-Identifier: Apache-2.0 */
/* seek.h: paths between stored states of a product, over the store that the search has filled. */
#ifndef OMEN_LASSO_SEEK_H
#define OMEN_LASSO_SEEK_H

#include "fair_cycle.h"

#include <omen/host/task.h>

/* States in a row. */
typedef struct om_path {
    const om_heap *heap;
    om_id *ids;
    size_t count, capacity;
} om_path;

void om_path__free(om_path *w);
/* OM_OK or OM_ENOMEM. */
int om_path__add(om_path *w, om_id id);

/* What a search may use and what it searches for. */
typedef struct om_aim {
    bool known; /* only states that were stored when the om_seek was opened */
    /* NULL, or only states for which it is true. */
    bool (*inside)(void *self, om_id id);
    void *self;
    om_marks avoid; /* edges with one of these are left out */
    /* It ends at an edge with one of these marks; */
    om_marks marks;
    om_fair_cycle *lacking; /* or that somebody is met by whom this lacks (NULL: none); */
    om_id state;            /* or into this state (OM_NO_ID: none); */
    /* or into a state for which this is true (NULL: none); */
    bool (*at)(void *self, om_id id);
    /* or, with `cycle`, into a state on the path to the edge. */
    bool cycle;
    uint64_t most; /* states to visit, at most; 0: all */
} om_aim;

/* Breadth-first searches, one after the other. */
typedef struct om_seek {
    om_context *ctx;
    om_product *product;
    om_cursor *cursor;
    struct om_store_ids *known; /* what was stored when it was opened */
    om_side *met; /* uint32_t by id: `base` + the number of its entry + 1, in this search */
    struct om_seek_entry {
        om_id id;
        uint32_t from; /* the entry that it was met from; OM_NONE: a source */
    } * entries;
    size_t count, capacity;
    uint32_t base;
    uint64_t until_ns; /* by om_clock_ns(), when a search ends with nothing found; 0: never */
} om_seek;

/* Is it time to give up? The clock is read now and then; `n` counts calls. */
bool om_seek__late(uint64_t until_ns, size_t n);

int om_seek__open(om_seek *s, om_context *ctx, om_task *task);
void om_seek__close(om_seek *s);
/*
 * Appends to the path what comes behind the source on a shortest path to the goal (nothing, where a
 * source is one by `at`); *source is the source. *found: there is one. With `cycle`, *onto is the
 * state that the last edge leads back to. Either may be NULL. OM_OK; OM_ENOMEM; OM_ELIMIT.
 */
int om_seek__find(om_seek *s, const om_id *sources, size_t n, const om_aim *aim, om_path *path,
    om_id *source, om_id *onto, bool *found);

/* The same among the states that were stored before any of these searches, and only then anywhere:
 * what a checker gives as evidence it has mostly stored the way to, and the states that it has not
 * met can be many times as many as those that it has. */
int om_seek__find_known_first(om_seek *s, const om_id *sources, size_t n, const om_aim *aim,
    om_path *path, om_id *source, om_id *onto, bool *found);
/* Was the state stored when the om_seek was opened? `self` is the om_seek. */
bool om_seek__knows(void *self, om_id id);

/* The marks that edges without `avoid` have along a path: from a state through n more. What they
 * meet in `lacking` (NULL: nothing is lacking) is added to it. */
int om_seek__marks(om_seek *s, om_id from, const om_id *path, size_t n, om_marks avoid,
    om_marks *marks, om_fair_cycle *lacking);

/* Was the state met in the last search? `self` is the om_seek. */
bool om_seek__has_met(void *self, om_id id);

/*
 * An accepting component that a state reaches, depth-first: one whose edges but those of `avoid`
 * have all of `see` (where marks count), or where the automaton's part is weak any cycle.
 */
typedef struct om_component {
    /* What is searched for. */
    om_marks see, avoid;
    bool marks_count;
    /* NULL, or only states for which it is true. */
    bool (*within)(void *self, om_id id);
    void *self;
    bool through;      /* edges of `avoid` lead to it, too, where nothing is found without */
    uint64_t until_ns; /* as in om_seek */
    /* What was found. */
    om_side *number; /* by id: the component is what is live from `from` on */
    uint32_t from;
    om_path way; /* from behind the start to the component's first state: depth-first, hence long */
    bool apart;  /* the way there takes edges of `avoid`, and is not known */
    bool found;
    bool weak; /* every cycle in it accepts, whatever its marks */
} om_component;

int om_component__find(om_component *c, om_context *ctx, om_task *task, om_id start);
void om_component__free(om_component *c);
/* Is the state in it? `self` is the om_component. */
bool om_component__has(void *self, om_id id);

#endif
