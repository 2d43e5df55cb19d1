/* SPDX-License-Identifier: Apache-2.0 */
#include "index.h"

#include <assert.h>
#include <string.h>

/* FNV-1a over the name, mixed with the scope. */
static size_t hash(const char *text, size_t length, const void *within)
{
    uint64_t h = 0xcbf29ce484222325u ^ ((uint64_t) (uintptr_t) within * 0x9e3779b97f4a7c15u);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char) text[i]) * 0x100000001b3u;
    return (size_t) (h ^ (h >> 32));
}

static size_t hash_of(const pml_entry *e)
{
    return hash(e->text, e->length, e->within);
}

/* Keeps the load factor at or below 1. Entries of a bucket keep their order: they are inserted at
 * the front, from the last one to the first. */
static bool grow(pml_index *n)
{
    if (n->count < n->size)
        return true;
    const size_t size = n->size == 0 ? 64 : 2 * n->size;
    pml_entry **buckets = om_region_take(n->region, size, sizeof(pml_entry *));
    if (buckets == NULL)
        return false;
    for (size_t i = 0; i < n->size; i++) {
        pml_entry *reversed = NULL;
        for (pml_entry *e = n->buckets[i], *next; e != NULL; e = next) {
            next = e->next;
            e->next = reversed;
            reversed = e;
        }
        for (pml_entry *e = reversed, *next; e != NULL; e = next) {
            pml_entry **bucket = &buckets[hash_of(e) & (size - 1)];
            next = e->next;
            e->next = *bucket;
            *bucket = e;
        }
    }
    n->buckets = buckets;
    n->size = size;
    return true;
}

/* Returns the link to the entry of the name, or the end of its bucket; NULL if there are no
 * buckets yet. */
static pml_entry **find(const pml_index *n, const char *text, size_t length, const void *within)
{
    if (n->size == 0)
        return NULL;
    pml_entry **at = &n->buckets[hash(text, length, within) & (n->size - 1)];
    while (*at != NULL && ((*at)->length != length || (*at)->within != within ||
                              memcmp((*at)->text, text, length) != 0))
        at = &(*at)->next;
    return at;
}

bool pml_index_put(pml_index *n, const char *text, size_t length, const void *within, void *what)
{
    pml_entry *e = n->spare;
    if (!grow(n))
        return false;
    assert(n->count < n->size && (n->size & (n->size - 1)) == 0);
    if (e == NULL)
        e = om_region_take(n->region, 1, sizeof *e);
    else
        n->spare = e->next;
    if (e == NULL)
        return false;
    pml_entry **bucket = &n->buckets[hash(text, length, within) & (n->size - 1)];
    *e = (pml_entry){ text, length, within, what, *bucket };
    *bucket = e;
    n->count++;
    return true;
}

void *pml_index_get(const pml_index *n, const char *text, size_t length, const void *within)
{
    pml_entry **at = find(n, text, length, within);
    return at == NULL || *at == NULL ? NULL : (*at)->what;
}

void pml_index_drop(pml_index *n, const char *text, size_t length, const void *within)
{
    pml_entry **at = find(n, text, length, within);
    if (at == NULL || *at == NULL)
        return;
    pml_entry *e = *at;
    *at = e->next;
    e->next = n->spare;
    n->spare = e;
    assert(n->count != 0);
    n->count--;
}
