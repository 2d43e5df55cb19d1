/* SPDX-License-Identifier: Apache-2.0 */
#include "choices.h"

#include <assert.h>
#include <string.h>

/* A memory is full at about MOST bytes. It pays if each leaf is found LEAST times. */
enum { MOST = 1 << 24, LEAST = 2, FIRST_SIZE = 1 << 8 };

void om_choices__init(om_choices *c, const om_heap *heap)
{
    *c = (om_choices){ .heap = heap };
}

static void forget(om_choices *c)
{
    OM_FREE_ALL(c->heap, c->table, c->lists, c->nodes, c->kept);
    *c = (om_choices){ .heap = c->heap, .off = c->off };
}

void om_choices__close(om_choices *c)
{
    if (c->heap != NULL)
        forget(c);
}

/* ---- lists of enabled transitions ---- */

static uint64_t hash_of(const uint32_t *list, size_t count)
{
    uint64_t h = count;
    for (size_t i = 0; i < count; i++) {
        h = (h ^ list[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h ^ h >> 32;
}

/* Returns the place of a list in the table, or a free one for it. */
static om_choice_list *place_of(const om_choices *c, const uint32_t *enabled, size_t count)
{
    size_t at = hash_of(enabled, count) & (c->table_size - 1);
    assert(c->used < c->table_size);
    while (c->table[at].count != 0 &&
           (c->table[at].count != count ||
               memcmp(c->lists + c->table[at].first, enabled, count * sizeof *enabled) != 0))
        at = (at + 1) & (c->table_size - 1);
    return &c->table[at];
}

/* Makes the table large enough for one more list. */
static bool grow(om_choices *c)
{
    om_choice_list *old = c->table;
    const size_t size = c->table_size;
    if (c->used < size / 2)
        return true;
    c->table = NULL;
    c->table_size = size == 0 ? FIRST_SIZE : 2 * size;
    if (!OM_NEW(c->heap, c->table, c->table_size)) {
        c->table = old;
        c->table_size = size;
        return false;
    }
    for (size_t i = 0; i < size; i++)
        if (old[i].count != 0)
            *place_of(c, c->lists + old[i].first, old[i].count) = old[i];
    om_free(c->heap, old);
    return true;
}

/* Returns the entry of a list, which is added if it is new; NULL: memory ran out. */
static om_choice_list *enter(om_choices *c, const uint32_t *enabled, size_t count)
{
    if (!grow(c))
        return NULL;
    om_choice_list *l = place_of(c, enabled, count);
    if (l->count != 0)
        return l;
    if (!OM_ROOM(c->heap, c->lists, &c->list_room, c->list_count + count))
        return NULL;
    memcpy(c->lists + c->list_count, enabled, count * sizeof *enabled);
    *l = (om_choice_list){ .first = (uint32_t) c->list_count, .count = (uint32_t) count };
    c->list_count += count;
    c->used++;
    return l;
}

/* ---- trees ---- */

bool om_choices__find(om_choices *c, const om_tests *tests, const uint32_t *enabled, size_t count,
    const uint32_t *vector, om_leaf *leaf)
{
    assert(count > 0);
    if (c->node_count == 0)
        return false;
    const om_choice_node *n = &c->nodes[place_of(c, enabled, count)->root];
    while (n != c->nodes && n->question != OM_NONE) {
        const uint32_t answer = om_tests__answer(tests, n->question, vector);
        while (n != c->nodes && n->answer != answer)
            n = &c->nodes[n->other];
        n = n == c->nodes ? n : &c->nodes[n->next];
    }
    if (n == c->nodes) /* H1 */
        return false;
    c->found++;
    *leaf = (om_leaf){ .kept = c->kept + n->next, .count = n->answer };
    return true;
}

/* Forgets everything if the memory is full. Returns true if it may remember more. */
static bool has_room(om_choices *c)
{
    const size_t bytes = (c->list_count + c->kept_count) * sizeof *c->lists +
                         c->node_count * sizeof *c->nodes + c->table_size * sizeof *c->table;
    if (c->off || bytes < MOST)
        return !c->off;
    c->off = c->found < LEAST * c->added;
    forget(c);
    return !c->off;
}

/* Returns the node that a link leads to, among its others, for a question and an answer: a new one
 * if there is none. */
static om_choice_node *follow(om_choices *c, uint32_t *link, uint32_t question, uint32_t answer)
{
    while (*link != 0 && c->nodes[*link].answer != answer) {
        assert(c->nodes[*link].question == question); /* it follows from the answers so far */
        link = &c->nodes[*link].other;
    }
    if (*link == 0) {
        assert(c->node_count < c->node_room);
        c->nodes[c->node_count] = (om_choice_node){ question, answer, 0, 0 };
        *link = (uint32_t) c->node_count++;
    }
    return &c->nodes[*link];
}

void om_choices__add(om_choices *c, const uint32_t *enabled, size_t count, const om_answer *asked,
    size_t asked_count, const om_leaf *leaf)
{
    if (!has_room(c))
        return;
    om_choice_list *l = enter(c, enabled, count);
    /* No node 0, the answers, and the leaf. */
    if (l == NULL || !OM_ROOM(c->heap, c->nodes, &c->node_room, c->node_count + asked_count + 2) ||
        !OM_ROOM(c->heap, c->kept, &c->kept_room, c->kept_count + leaf->count))
        return;
    uint32_t *link = &l->root;
    c->node_count = c->node_count == 0 ? 1 : c->node_count;
    for (size_t i = 0; i < asked_count; i++)
        link = &follow(c, link, asked[i].question, asked[i].answer)->next;
    assert(*link == 0);
    om_choice_node *n = follow(c, link, OM_NONE, (uint32_t) leaf->count);
    n->next = (uint32_t) c->kept_count;
    for (size_t i = 0; i < leaf->count; i++)
        c->kept[c->kept_count++] = leaf->kept[i];
    c->added++;
}
